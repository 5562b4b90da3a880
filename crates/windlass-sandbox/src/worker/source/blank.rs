//! Replaces types by blanks.
//!
//! TypeScript features that generate code (enums, namespaces, parameter properties) are not
//! supported and are rejected with a hint.

use oxc_ast::ast::{
    ArrowFunctionExpression, Class, Declaration, ExpressionStatement, FormalParameter,
    ImportDeclaration, ImportExpression, MethodDefinition, Program, PropertyDefinition, Statement,
    TSAsExpression, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSTypeAnnotation,
    TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use super::edit::Edits;
use super::{Problem, blank_class};

/// Blanks all types of `program`.
pub fn blank_types(program: &Program<'_>, edits: &mut Edits) -> Result<(), Problem> {
    let mut blanking = Blanking {
        edits,
        problem: None,
    };
    blanking.visit_program(program);
    blanking.problem.map_or(Ok(()), Err)
}

pub struct Blanking<'e> {
    pub edits: &'e mut Edits,
    /// The first unsupported feature.
    problem: Option<Problem>,
}

impl Blanking<'_> {
    pub fn reject(&mut self, what: &str, span: Span, hint: &'static str) {
        let problem = Problem::new(what, span).with_hint(hint);
        self.problem.get_or_insert(problem);
    }

    /// Blanks `mark` after `end`; only blanks and comments may be between them.
    pub fn blank_mark(&mut self, mark: char, end: u32, before: u32) {
        let between = self.edits.text_of(Span::new(end, before.max(end)));
        if let Some(at) = between.rfind(mark) {
            let at = end + u32::try_from(at).unwrap_or_default();
            self.edits.blank(Span::new(at, at + 1));
        }
    }

    /// Blanks the type between an expression and the end of `span`.
    fn blank_after(&mut self, expression: Span, span: Span) {
        self.edits.blank(Span::new(expression.end, span.end));
    }

    /// Blanks a declaration that has no effect at run time.
    fn blank_declaration(&mut self, declaration: &Declaration<'_>) -> bool {
        let span = declaration.span();
        let is_blank = match declaration {
            Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => true,
            Declaration::TSEnumDeclaration(it) if !it.declare => {
                self.reject(
                    "`enum` is not supported",
                    span,
                    "Use an object of constants.",
                );
                true
            }
            Declaration::TSNamespaceDeclaration(it) if !it.declare => {
                self.reject("`namespace` is not supported", span, "Use an object.");
                true
            }
            Declaration::TSImportEqualsDeclaration(_) => {
                self.reject(
                    "There is nothing to import",
                    span,
                    "The SDK is available without an import.",
                );
                true
            }
            Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
            other => other.declare(),
        };
        if is_blank {
            self.edits.blank_statement(span);
        }
        is_blank
    }
}

impl<'a> Visit<'a> for Blanking<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if let Some(declaration) = it.as_declaration()
            && self.blank_declaration(declaration)
        {
            return;
        }
        walk::walk_statement(self, it);
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        if !self.blank_declaration(it) {
            walk::walk_declaration(self, it);
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        self.edits.blank_statement(it.span);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.reject(
            "There is nothing to import",
            it.span,
            "The SDK is available without an import.",
        );
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        walk::walk_expression_statement(self, it);
        // Without the type, the next line could become part of this statement.
        if self.edits.ends_with_blank(it.span.end) {
            self.edits.insert(it.span.end, ";");
        }
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.edits.blank(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.edits.blank(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.edits.blank(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.edits
            .blank(Span::new(it.span.start, it.expression.span().start));
        self.visit_expression(&it.expression);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.edits.blank(it.span);
        // Another parameter may follow.
        let rest = self.edits.text().get(it.span.end as usize..);
        let rest = rest.unwrap_or_default();
        let blanks = rest.len() - rest.trim_start().len();
        if rest.trim_start().starts_with(',') {
            let comma = it.span.end + u32::try_from(blanks).unwrap_or_default();
            self.edits.blank(Span::new(comma, comma + 1));
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.reject(
                "Parameter properties are not supported",
                it.span,
                "Declare the field and assign it in the constructor.",
            );
        }
        if it.optional {
            let before = it
                .type_annotation
                .as_ref()
                .map_or(it.span.end, |annotation| annotation.span.start);
            self.blank_mark('?', it.pattern.span().end, before);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite
            && let Some(annotation) = &it.type_annotation
        {
            self.blank_mark('!', it.id.span().end, annotation.span.start);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        // No line break is allowed between `async` and the parameters, and before the arrow.
        if let Some(parameters) = &it.type_parameters
            && self.edits.text_of(parameters.span).contains('\n')
        {
            self.edits.put(it.params.span.start, b' ');
            self.edits.put(parameters.span.start, b'(');
        }
        if let Some(annotation) = &it.return_type
            && self.edits.text_of(annotation.span).contains('\n')
        {
            self.edits.put(it.params.span.end - 1, b' ');
            self.edits.put(annotation.span.end - 1, b')');
        }
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        blank_class::class(self, it);
        walk::walk_class(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if blank_class::method(self, it) {
            walk::walk_method_definition(self, it);
        }
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if blank_class::property(self, it) {
            walk::walk_property_definition(self, it);
        }
    }

    fn visit_ts_index_signature(&mut self, it: &oxc_ast::ast::TSIndexSignature<'a>) {
        self.edits.blank_statement(it.span);
    }
}
