//! Make, CMake, Gradle and Maven.

use super::check;

#[test]
fn make_variables_as_targets() {
    check(
        "variables",
        &[
            (
                &[(
                    "Makefile",
                    "PLATS = linux macos\nall: x\n$(PLATS) clean:\n\tcd src && cc $@\n",
                )],
                &[
                    "all | make all | .",
                    "linux | make linux | .",
                    "macos | make macos | .",
                    "clean | make clean | .",
                ],
            ),
            (
                &[
                    ("Makefile", "ARCHS ?= amd64 arm64\ninclude common.mk\n"),
                    (
                        "common.mk",
                        "ARCHS ?= s390x\nBUILD = $(addprefix build-,$(ARCHS))\n.PHONY: all $(BUILD)\n$(BUILD): build-%:\n\techo $*\n",
                    ),
                ],
                &[
                    "build-amd64 | make build-amd64 | .",
                    "build-arm64 | make build-arm64 | .",
                ],
            ),
            (
                &[(
                    "Makefile",
                    "NAME=server$(SUFFIX)\n$(NAME): x.o\n\tcc\nFILES := $(shell ls | head)\n$(FILES): y\n",
                )],
                &["server | make server | ."],
            ),
            (
                &[(
                    "Makefile",
                    "ifeq ($(OS),Windows_NT)\nEXE ?= app.exe\nelse\nEXE ?= app\nendif\n$(EXE): x\n\tcc\n",
                )],
                &["app | make app | ."],
            ),
            (
                &[
                    (
                        "t/Makefile",
                        "TESTS := $(sort $(basename $(wildcard test_*.vim)))\n$(TESTS):\n\techo $@\n",
                    ),
                    ("t/test_b.vim", ""),
                    ("t/test_a.vim", ""),
                    ("t/other.vim", ""),
                ],
                &["t/test_a | make test_a | t", "t/test_b | make test_b | t"],
            ),
            (
                &[
                    (
                        "Makefile",
                        "define T\nbuild-$(1): $(2)\n\techo $$@\nendef\n$(foreach p,web api,$(eval $(call T,$(p),x)))\nTOP := mk\ninclude $(TOP)/*.mk\n",
                    ),
                    ("mk/a.mk", "lint:\n\techo\n"),
                ],
                &[
                    "build-web | make build-web | .",
                    "build-api | make build-api | .",
                    "lint | make lint | .",
                ],
            ),
        ],
    );
}

#[test]
fn make_descriptions() {
    let described = |text: &str| {
        let found = super::repository(&[("Makefile", text)])
            .discovery
            .discover();
        let one = found.get("x").unwrap().description.clone();
        one.unwrap_or_default()
    };
    for (text, expected) in [
        ("# Build it.\n.PHONY: x\nx:\n\techo\n", "Build it."),
        (".PHONY: x\n# Build it.\nx:\n", "Build it."),
        ("x: y ## Build it\n", "Build it"),
        ("# Binaries:\nx:\n", ""),
        ("#-------\n# Section\n#-------\nx:\n", ""),
        ("##@ Section\nx:\n", ""),
        ("# Far away\n\nx:\n", ""),
    ] {
        assert_eq!(described(text), expected, "{text}");
    }
}

#[test]
fn cmake_files_loops_and_functions() {
    check(
        "CMake",
        &[
            (
                &[
                    (
                        "CMakeLists.txt",
                        "list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)\ninclude(ci)\n",
                    ),
                    (
                        "cmake/ci.cmake",
                        "if(CI)\nadd_custom_target(ci_test)\nendif()\n",
                    ),
                ],
                &["ci_test | cmake --build build --target ci_test | ."],
            ),
            (
                &[
                    (
                        "CMakeLists.txt",
                        "include(${CMAKE_SOURCE_DIR}/cmake/local.cmake)\nproject(app)\nadd_custom_target(${PROJECT_NAME}-docs)\n",
                    ),
                    (
                        "cmake/local.cmake",
                        "foreach(STD 17 20)\n  add_custom_target(std_${STD})\nendforeach()\n",
                    ),
                ],
                &[
                    "std_17 | cmake --build build --target std_17 | .",
                    "std_20 | cmake --build build --target std_20 | .",
                    "app-docs | cmake --build build --target app-docs | .",
                ],
            ),
            (
                &[(
                    "CMakeLists.txt",
                    "set(TOOLS gcc clang)\nfunction(add_check name)\n  add_custom_target(check_${name} COMMAND x)\nendfunction()\nforeach(T IN LISTS TOOLS)\n  add_check(${T})\nendforeach()\nadd_check(\"lint\")\nadd_check(${UNKNOWN})\n",
                )],
                &[
                    "check_gcc | cmake --build build --target check_gcc | .",
                    "check_clang | cmake --build build --target check_clang | .",
                    "check_lint | cmake --build build --target check_lint | .",
                ],
            ),
        ],
    );
}

#[test]
fn cmake_names_that_are_computed() {
    check(
        "computed",
        &[
            (
                &[(
                    "CMakeLists.txt",
                    "set(ALL)\nset(SOURCES src/a.b.c)\nlist(APPEND ALL ${SOURCES})\nforeach(F ${ALL})\n  string(REPLACE \"/\" \"-\" N ${F})\n  string(REGEX REPLACE \"\\\\.[^.]*$\" \"\" N ${N})\n  add_custom_target(tidy-${N} COMMENT \"\")\nendforeach()\n",
                )],
                &["tidy-src-a.b | cmake --build build --target tidy-src-a.b | ."],
            ),
            (
                &[(
                    "CMakeLists.txt",
                    "foreach(F tests/One.cpp tests/two.cpp)\n  get_filename_component(N ${F} NAME_WE)\n  string(TOLOWER ${N} N)\n  string(CONCAT T \"run_\" ${N})\n  add_custom_target(${T})\nendforeach()\n",
                )],
                &[
                    "run_one | cmake --build build --target run_one | .",
                    "run_two | cmake --build build --target run_two | .",
                ],
            ),
            (
                &[(
                    "CMakeLists.txt",
                    "string(MAKE_C_IDENTIFIER \"a-b c\" ID)\nstring(REGEX REPLACE \"(.*)_(.*)\" \"\\\\2-\\\\1\" N ${ID})\nadd_custom_target(${N})\nstring(RANDOM N)\nstring(TOUPPER ${UNKNOWN} N)\nadd_custom_target(x${N})\n",
                )],
                &["c-a_b | cmake --build build --target c-a_b | ."],
            ),
        ],
    );
}

#[test]
#[cfg(target_os = "linux")]
fn cmake_branches_of_other_systems() {
    check(
        "systems",
        &[
            (
                &[(
                    "CMakeLists.txt",
                    "if(WIN32)\n  if(X)\n    add_custom_target(a)\n  endif()\nelseif(APPLE OR CMAKE_SYSTEM_NAME STREQUAL \"FreeBSD\")\n  add_custom_target(b)\nelse()\n  add_custom_target(c)\nendif()\n",
                )],
                &["c | cmake --build build --target c | ."],
            ),
            (
                &[(
                    "CMakeLists.txt",
                    "if(NOT WIN32 AND UNIX)\n  add_custom_target(a)\nelse()\n  add_custom_target(b)\nendif()\nif(CMAKE_SYSTEM_NAME MATCHES \"Linux|GNU\")\n  add_custom_target(c)\nelseif(OPTION)\n  add_custom_target(d)\nendif()\n",
                )],
                &[
                    "a | cmake --build build --target a | .",
                    "c | cmake --build build --target c | .",
                ],
            ),
            (
                &[(
                    "CMakeLists.txt",
                    "if(OPTION)\n  add_custom_target(a)\nelseif(DEFINED WIN32 OR (WIN32))\n  add_custom_target(b)\nelse()\n  add_custom_target(c)\nendif()\nif(NOT UNIX OR OPTION)\n  add_custom_target(d)\nendif()\n",
                )],
                &[
                    "a | cmake --build build --target a | .",
                    "b | cmake --build build --target b | .",
                    "c | cmake --build build --target c | .",
                    "d | cmake --build build --target d | .",
                ],
            ),
        ],
    );
}

#[test]
fn cmake_presets() {
    check(
        "presets",
        &[
            (
                &[(
                    "CMakePresets.json",
                    r#"{"version": 3, "configurePresets": [{"name": "base", "hidden": true, "binaryDir": "${sourceDir}/build"}, {"name": "dev", "inherits": "base"}], "buildPresets": [{"name": "dev", "configurePreset": "dev"}]}"#,
                )],
                &[
                    "configure:dev | cmake --preset dev | .",
                    "build:dev | cmake --build --preset dev | .",
                ],
            ),
            (
                &[(
                    "lib/CMakePresets.json",
                    r#"{"testPresets": [{"name": "unit", "configurePreset": "x"}], "workflowPresets": [{"name": "all", "steps": []}]}"#,
                )],
                &[
                    "lib/test:unit | ctest --preset unit | lib",
                    "lib/workflow:all | cmake --workflow --preset all | lib",
                ],
            ),
            (
                &[
                    (
                        "CMakePresets.json",
                        r#"{"include": ["more.json"], "buildPresets": []}"#,
                    ),
                    (
                        "more.json",
                        "{\"configurePresets\": [{\"name\": \"ci\",\n \"binaryDir\": \"out/${presetName}\"}]}",
                    ),
                ],
                &["configure:ci | cmake --preset ci | ."],
            ),
        ],
    );
}

#[test]
fn gradle_tasks() {
    check(
        "Gradle",
        &[
            (
                &[(
                    "build.gradle.kts",
                    "tasks {\n  register<Exec>(\"lint\") {\n    description = \"Lint \\\"all\\\"\"\n  }\n  val gen by registering\n  named(\"test\") {}\n}\n",
                )],
                &[
                    "lint | gradle lint | .",
                    "gen | gradle gen | .",
                    "tasks | gradle tasks | .",
                    "dependencies | gradle dependencies | .",
                ],
            ),
            (
                &[(
                    "build.gradle",
                    "plugins { id 'base' }\nallprojects { task -> logger.info('x') }\ntask 'a b' {}\n",
                )],
                &[
                    "a b | gradle 'a b' | .",
                    "tasks | gradle tasks | .",
                    "dependencies | gradle dependencies | .",
                    "assemble | gradle assemble | .",
                    "build | gradle build | .",
                    "check | gradle check | .",
                    "clean | gradle clean | .",
                ],
            ),
            (
                &[(
                    "build.gradle",
                    "plugins {\n  id 'com.android.application' version '8' apply false\n}\n",
                )],
                &[
                    "tasks | gradle tasks | .",
                    "dependencies | gradle dependencies | .",
                ],
            ),
            (
                &[
                    (
                        "settings.gradle.kts",
                        "pluginManagement { includeBuild(\"build-logic\") }\ninclude(\":app\")\n",
                    ),
                    (
                        "build-logic/src/main/kotlin/my.quality.gradle.kts",
                        "tasks.register(\"quality\") {}\n",
                    ),
                    ("app/build.gradle.kts", "plugins { id(\"my.quality\") }\n"),
                ],
                &["app/quality | gradle quality | app"],
            ),
            (
                &[
                    (
                        "gradle/libs.versions.toml",
                        "[plugins]\nspring-boot = { id = \"org.springframework.boot\", version = \"3\" }\n",
                    ),
                    (
                        "build.gradle.kts",
                        "plugins {\n  alias(libs.plugins.spring.boot)\n}\n",
                    ),
                ],
                &[
                    "tasks | gradle tasks | .",
                    "dependencies | gradle dependencies | .",
                    "bootJar | gradle bootJar | .",
                    "bootRun | gradle bootRun | .",
                ],
            ),
        ],
    );
}

#[test]
fn maven_goals() {
    let found = |text: &str| {
        let found = super::repository(&[("pom.xml", text)]).discovery.discover();
        let names = found.commands.iter().map(|it| it.name.clone());
        assert_eq!(found.problems, []);
        names
            .filter(|it| it.contains(':'))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let plugin = |name: &str, rest: &str| {
        format!(
            "<project><build><plugins><plugin><artifactId>{name}</artifactId>{rest}</plugin></plugins></build></project>"
        )
    };
    assert_eq!(
        found(&plugin("spring-boot-maven-plugin", "")),
        "spring-boot:run spring-boot:build-image"
    );
    let executed =
        "<executions><execution><goals><goal>shade</goal></goals></execution></executions>";
    assert_eq!(
        found(&plugin("maven-shade-plugin", executed)),
        "shade:shade"
    );
    assert_eq!(found(&plugin("other", executed)), "");
    assert_eq!(
        found("<project><build><pluginManagement><plugins/></pluginManagement></build></project>"),
        ""
    );
}

#[test]
fn maven_encodings_and_modules() {
    let repository = super::repository(&[("app/pom.xml", "<project>"), ("pom.xml", "<project/>")]);
    let text =
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<project><name>caf\xe9</name></project>";
    std::fs::write(repository.root.join("pom.xml"), text).unwrap();
    let found = repository.discovery.discover();
    // The broken module is not parsed, because it is not the one that is built.
    assert_eq!(found.problems, []);
    assert!(found.get("verify").is_some());
}

#[test]
fn lists_of_make_that_are_known_in_part() {
    check(
        "known words among unknown ones",
        &[
            (
                &[(
                    "Makefile",
                    "HOST := $(shell ./guess)\nALL = core $($(HOST)_parts) tools lib-$(HOST)\n$(ALL):\n\techo $@\n",
                )],
                &["core | make core | .", "tools | make tools | ."],
            ),
            (
                &[(
                    "Makefile",
                    "OS != ./guess\nPARTS := $(addprefix build-,a $(OS) b)\n.PHONY: $(PARTS) $(sort $(OS) dist/now)\n$(PARTS) dist/now: x\n",
                )],
                &[
                    "build-a | make build-a | .",
                    "build-b | make build-b | .",
                    "dist/now | make dist/now | .",
                ],
            ),
            (
                &[(
                    "Makefile",
                    "LIST = $(shell find . -name x) one\ndefine unit\n.PHONY: $(1) $(1)/log\n$(1): $(1)/log\n$(1)/log:\n\techo $$@\nendef\n$(foreach it,$(LIST) two,$(eval $(call unit,$(it))))\n",
                )],
                &[
                    "one | make one | .",
                    "one/log | make one/log | .",
                    "two | make two | .",
                    "two/log | make two/log | .",
                ],
            ),
        ],
    );
}

#[test]
fn expressions_of_make_that_make_lines() {
    check(
        "lines made by eval",
        &[
            // Steps for each part, in a template that has a loop of its own.
            (
                &[(
                    "Makefile",
                    "STEPS = fetched built\ndefine stages\n$(foreach step,$(STEPS),\n  $(1)_$(step): $($(1)_$(step))\n  .PHONY: $(1)_$(step)\n)\nendef\n$(foreach it,a b,$(eval $(call stages,$(it))))\n",
                )],
                &[
                    "a_fetched | make a_fetched | .",
                    "a_built | make a_built | .",
                    "b_fetched | make b_fetched | .",
                    "b_built | make b_built | .",
                ],
            ),
            // Variables, files and conditions.
            (
                &[
                    (
                        "Makefile",
                        "parts_$(NOT_SET) = zip\nALL = tar $(parts_)\n$(foreach it,$(ALL),$(eval include mk/$(it).mk))\n$(foreach it,$(ALL),$(eval $(it)_name = $(it)-$($(it)_version)))\n$(foreach it,$(ALL),$(eval $($(it)_name): ; echo))\n",
                    ),
                    ("mk/tar.mk", "tar_version = 2\n"),
                    ("mk/zip.mk", "zip_version = 3\nunzip:\n\techo\n"),
                ],
                &[
                    "unzip | make unzip | .",
                    "tar-2 | make tar-2 | .",
                    "zip-3 | make zip-3 | .",
                ],
            ),
            (
                &[(
                    "Makefile",
                    "define tool\nifeq ($(2),fast)\n$(1)-fast:\n\techo\nelse\n$(1)-slow:\n\techo\nendif\nendef\nifneq (,$(findstring b,abc))\n$(eval $(call tool,x,fast))$(eval $(call tool,y,other))\nendif\nlast:\n",
                )],
                &[
                    "x-fast | make x-fast | .",
                    "y-slow | make y-slow | .",
                    "last | make last | .",
                ],
            ),
            // A function that makes names, one that is called without `eval` around it, and `if`.
            (
                &[(
                    "Makefile",
                    "name = $(1)-$(word 2,a b c)$(suffix $(1))\n$(call name,x):\n\techo\ndefine make-it\n$(eval $(1)-made: ; echo)\nendef\n$(call make-it,y)\n$(if $(DEBUG),$(eval slow:),$(eval quick:))\n$(if yes,z,no):\n",
                )],
                &[
                    "x-b | make x-b | .",
                    "y-made | make y-made | .",
                    "quick | make quick | .",
                    "z | make z | .",
                ],
            ),
        ],
    );
}

#[test]
fn branches_of_makefiles_that_are_not_taken() {
    check(
        "rules in conditions",
        &[
            // Nothing sets it, a file that is missing might, and one that is there does.
            (
                &[(
                    "Makefile",
                    "ifneq ($(PROG),)\nclean-prog:\n\techo\nendif\n-include none.mk\nifeq ($(FLASHER),one)\nflash:\n\techo\nelse ifdef FLASHER\nother:\n\techo\nelse\nall:\n\techo\nendif\n",
                )],
                &["all | make all | ."],
            ),
            (
                &[(
                    "Makefile",
                    "include $(shell ./where)/x.mk\nifneq ($(PROG),)\nclean-prog:\n\techo\nendif\n",
                )],
                &["clean-prog | make clean-prog | ."],
            ),
            (
                &[
                    (
                        "Makefile",
                        "PROG =\ninclude x.mk\nifdef PROG\nclean-prog:\n\techo\nelse\nno-prog:\n\techo\nendif\n",
                    ),
                    ("x.mk", "PROG = x\n"),
                ],
                &["clean-prog | make clean-prog | ."],
            ),
            // Values that a program decides, also by way of others.
            (
                &[(
                    "Makefile",
                    "ifeq ($(shell ./guess),x)\nKIND = a\nelse\nKIND = b\nendif\nSAME := $(KIND)\nHOST := $(shell ./guess)\nifeq ($(SAME),a)\nx:\n\techo\nelse\ny:\n\techo\nendif\nifdef HOST\nz:\n\techo\nelse\nw:\n\techo\nendif\n",
                )],
                &[
                    "x | make x | .",
                    "y | make y | .",
                    "z | make z | .",
                    "w | make w | .",
                ],
            ),
            (
                &[(
                    "Makefile",
                    "ifeq ($(CC),clang)\n  override KIND = a\nendif\nifeq ($(KIND),a)\nx:\n\techo\nendif\n",
                )],
                &["x | make x | ."],
            ),
            // What make and the environment set.
            (
                &[(
                    "Makefile",
                    "ifeq ($(CC),cc)\na:\n\techo\nendif\nifneq (,$(filter undefine,$(.FEATURES)))\nb:\n\techo\nendif\nifdef CI\nc:\n\techo\nendif\n",
                )],
                &["a | make a | .", "b | make b | .", "c | make c | ."],
            ),
        ],
    );
}
