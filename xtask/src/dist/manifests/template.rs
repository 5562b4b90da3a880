//! Texts with names in double braces.

/// Fills a template; a name without a value is an error.
pub fn fill(template: &str, values: &[(&str, &str)]) -> Result<String, String> {
    let mut text = template.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{{{name}}}}}"), value);
    }
    match text.split_once("{{") {
        None => Ok(text),
        Some((_, rest)) => {
            let name = rest.split("}}").next().unwrap_or_default();
            Err(format!("the template has no value for {name}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_value_is_an_error() {
        let template = "a {{one}} {{two}}";
        assert_eq!(
            fill(template, &[("one", "1"), ("two", "2")]).as_deref(),
            Ok("a 1 2")
        );
        let problem = fill(template, &[("one", "1")]).unwrap_err();
        assert_eq!(problem, "the template has no value for two");
    }
}
