//! The list of what is in the binary, as CycloneDX 1.6.

use serde_json::{Value as Json, json};

use super::checksums::sha256;
use super::linked::Crate;
use super::moment::Moment;
use super::web::Library;

pub fn document(crates: &[Crate], libraries: &[Library], seconds: u64) -> Result<Json, String> {
    let windlass = crates.iter().find(|it| it.name == "windlass");
    let windlass = windlass.ok_or("windlass is not among its crates")?;
    let others = crates.iter().filter(|it| it.name != "windlass");
    let mut components: Vec<Json> = others.map(component).collect();
    components.extend(libraries.iter().map(library));
    let mut dependencies: Vec<Json> = crates
        .iter()
        .map(|it| {
            let on = it.dependencies.iter().map(|at| crates[*at].purl());
            json!({ "ref": it.purl(), "dependsOn": on.collect::<Vec<_>>() })
        })
        .collect();
    dependencies.extend(
        libraries
            .iter()
            .map(|it| json!({ "ref": library_purl(it) })),
    );
    let mut main = component(windlass);
    main["type"] = json!("application");
    let serial = serial_number(&components);
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": serial,
        "version": 1,
        "metadata": {
            "timestamp": Moment::new(seconds).rfc3339(),
            "component": main,
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(linked: &Crate) -> Json {
    let mut component = json!({
        "type": "library",
        "bom-ref": linked.purl(),
        "name": linked.name,
        "version": linked.version,
        "licenses": [{ "expression": linked.license }],
        "purl": linked.purl(),
    });
    if let Some(checksum) = &linked.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn library(library: &Library) -> Json {
    json!({
        "type": "library",
        "bom-ref": library_purl(library),
        "name": library.name,
        "version": library.version,
        "licenses": [{ "license": { "id": library.license } }],
        "purl": library_purl(library),
    })
}

fn library_purl(library: &Library) -> String {
    let name = library.name.replace('@', "%40");
    format!("pkg:npm/{name}@{}", library.version)
}

/// A UUID that depends on the components only, so that equal lists are equal files.
fn serial_number(components: &[Json]) -> String {
    let text: Vec<String> = components.iter().map(Json::to_string).collect();
    let digits = sha256(text.join("\n").as_bytes());
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}
