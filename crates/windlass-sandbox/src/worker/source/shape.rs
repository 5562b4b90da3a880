//! Determines the value of a script: what must be returned or called.

use oxc_ast::ast::{ExportDefaultDeclarationKind, Expression, Program, Statement};
use oxc_span::{GetSpan, Span};

use super::Problem;
use super::edit::Edits;

const NO_IMPORTS: &str = "Every namespace of the SDK is available without an import.";

/// Whether the program is an object literal that parses as a block: `{a: 1}`.
pub fn is_object_parsed_as_block(program: &Program<'_>) -> bool {
    match program.body.as_slice() {
        [Statement::BlockStatement(block)] => {
            !block.body.is_empty()
                && block
                    .body
                    .iter()
                    .all(|inner| matches!(inner, Statement::LabeledStatement(_)))
        }
        _ => false,
    }
}

/// Whether the program consists of one expression only.
pub fn is_sole_expression(program: &Program<'_>) -> bool {
    matches!(program.body.as_slice(), [Statement::ExpressionStatement(_)])
}

/// Returns the last expression as the value, and removes imports and exports.
pub fn shape(program: &Program<'_>, edits: &mut Edits) -> Result<(), Problem> {
    let statements: Vec<_> = program.body.iter().filter(|it| !is_type_only(it)).collect();
    for (index, statement) in statements.iter().enumerate() {
        module_statement(statement, index + 1 == statements.len(), edits)?;
    }
    match statements.as_slice() {
        [] => {
            if let Some(directive) = program.directives.last() {
                edits.insert(directive.span.start, "return ");
            }
        }
        [Statement::FunctionDeclaration(function)] if function.params.parameters_count() == 0 => {
            call(function.span, edits);
        }
        [.., Statement::ExpressionStatement(last)] => value(&last.expression, edits),
        [.., Statement::ExportDefaultDeclaration(last)] => {
            edits.blank(Span::new(last.span.start, last.declaration.span().start));
            match &last.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    call(function.span, edits);
                }
                ExportDefaultDeclarationKind::ClassDeclaration(_)
                | ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {}
                other => {
                    if let Some(expression) = other.as_expression() {
                        value(expression, edits);
                    }
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether the statement consists of types only.
fn is_type_only(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::TSTypeAliasDeclaration(_) | Statement::TSInterfaceDeclaration(_) => true,
        Statement::EmptyStatement(_) => true,
        Statement::ImportDeclaration(import) => import.import_kind.is_type(),
        Statement::ExportDefaultDeclaration(export) => matches!(
            export.declaration,
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
        ),
        _ => false,
    }
}

fn module_statement(
    statement: &Statement<'_>,
    is_last: bool,
    edits: &mut Edits,
) -> Result<(), Problem> {
    match statement {
        Statement::ImportDeclaration(import) => {
            Err(Problem::new("There is nothing to import", import.span).with_hint(NO_IMPORTS))
        }
        Statement::ExportDefaultDeclaration(export) if !is_last => Err(Problem::new(
            "`export default` must be the last statement",
            export.span,
        )),
        Statement::ExportDeclaration(export) => {
            edits.blank(Span::new(
                export.span.start,
                export.declaration.span().start,
            ));
            Ok(())
        }
        _ if is_export(statement) => Err(Problem::new(
            "Only `export default` is supported",
            statement.span(),
        )),
        _ => Ok(()),
    }
}

fn is_export(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::ExportNamedDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::TSExportAssignment(_)
            | Statement::TSNamespaceExportDeclaration(_)
            | Statement::TSImportEqualsDeclaration(_)
    )
}

/// Returns the value of `expression`, or calls it if it is a function.
fn value(expression: &Expression<'_>, edits: &mut Edits) {
    let inner = expression.without_parentheses().get_inner_expression();
    let is_function = matches!(
        inner,
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
    );
    if is_function {
        call(expression.span(), edits);
    } else {
        edits.insert(expression.span().start, "return (");
        edits.insert(expression.span().end, ")");
    }
}

fn call(function: Span, edits: &mut Edits) {
    edits.insert(function.start, "return (");
    edits.insert(function.end, ")()");
}
