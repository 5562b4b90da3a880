//! Rake.

use super::check;

#[test]
fn test_tasks_and_their_kin() {
    check(
        "classes that define tasks",
        &[
            (
                &[(
                    "Rakefile",
                    "require 'rake/testtask'\nRake::TestTask.new do |t|\n  t.libs << 'test'\nend\ntask default: :test\n",
                )],
                &["test | rake test | .", "default | rake default | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "Rake::TestTask.new(:unit)\nRake::TestTask.new('system' => :unit) { |t| t.verbose = true }\nRSpec::Core::RakeTask.new(:spec)\nCucumber::Rake::Task.new\n",
                )],
                &[
                    "unit | rake unit | .",
                    "system | rake system | .",
                    "spec | rake spec | .",
                    "cucumber | rake cucumber | .",
                ],
            ),
            (
                &[(
                    "Rakefile",
                    "namespace :check do\n  RuboCop::RakeTask.new(:style) do |t|\n    t.options = []\n  end\n  Rake::TestTask.new do |t|\n    t.name = 'all'\n  end\nend\n",
                )],
                &[
                    "check:style | rake check:style | .",
                    "check:style:autocorrect | rake check:style:autocorrect | .",
                    "check:style:autocorrect_all | rake check:style:autocorrect_all | .",
                    "check:all | rake check:all | .",
                ],
            ),
            (
                &[(
                    "Rakefile",
                    "spec = Gem::Specification.load('x.gemspec')\nGem::PackageTask.new(spec) { }\n",
                )],
                &[
                    "package | rake package | .",
                    "repackage | rake repackage | .",
                    "clobber_package | rake clobber_package | .",
                    "gem | rake gem | .",
                ],
            ),
        ],
    );
}

#[test]
fn bundler_helpers() {
    let all: &[&str] = &[
        "build | rake build | .",
        "build:checksum | rake build:checksum | .",
        "clean | rake clean | .",
        "clobber | rake clobber | .",
        "install | rake install | .",
        "install:local | rake install:local | .",
        "release | rake release | .",
        "release:guard_clean | rake release:guard_clean | .",
        "release:rubygem_push | rake release:rubygem_push | .",
        "release:source_control_push | rake release:source_control_push | .",
    ];
    check(
        "Bundler",
        &[
            (&[("Rakefile", "require 'bundler/gem_tasks'\n")], all),
            (&[("Rakefile", "require \"bundler/gem_tasks\"\n")], all),
            (
                &[("Rakefile", "Bundler::GemHelper.install_tasks\n")],
                &[
                    "build | rake build | .",
                    "build:checksum | rake build:checksum | .",
                    "install | rake install | .",
                    "install:local | rake install:local | .",
                    "release | rake release | .",
                    "release:guard_clean | rake release:guard_clean | .",
                    "release:rubygem_push | rake release:rubygem_push | .",
                    "release:source_control_push | rake release:source_control_push | .",
                ],
            ),
        ],
    );
}

#[test]
fn loops_over_literals() {
    check(
        "loops",
        &[
            (
                &[(
                    "Rakefile",
                    "%w(test package).each do |name|\n  desc \"Run #{name} everywhere\"\n  task name do\n    sh name\n  end\nend\n",
                )],
                &["test | rake test | .", "package | rake package | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "ADAPTERS = %w[pg sqlite].freeze\nADAPTERS.each do |adapter|\n  namespace adapter do\n    task :test => \"#{adapter}:env\"\n    task env: []\n  end\n  Rake::TestTask.new(\"test_#{adapter}\" => :x) { |t|\n    t.libs = []\n  }\nend\n",
                )],
                &[
                    "pg:test | rake pg:test | .",
                    "pg:env | rake pg:env | .",
                    "test_pg | rake test_pg | .",
                    "sqlite:test | rake sqlite:test | .",
                    "sqlite:env | rake sqlite:env | .",
                    "test_sqlite | rake test_sqlite | .",
                ],
            ),
            (
                &[(
                    "Rakefile",
                    "[:a, 'b'].each { |x| task \"go:#{x}\" => :y }\n",
                )],
                &["go:a | rake go:a | .", "go:b | rake go:b | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "ALL = [\n  'x',\n  'y'\n]\n(ALL + %w(z)).each do |it_is|\n  task it_is\nend\nlist.each do |u|\n  task u\nend\n",
                )],
                &["x | rake x | .", "y | rake y | .", "z | rake z | ."],
            ),
        ],
    );
}

#[test]
fn namespaces_that_are_computed_invent_nothing() {
    check(
        "computed namespaces",
        &[
            (
                &[(
                    "Rakefile",
                    "names.each do |n|\n  namespace n do\n    task :env\n  end\nend\ntask :ok\n",
                )],
                &["ok | rake ok | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "namespace \"#{x}\" do\n  task :env\nend\nnamespace :a do\n# a comment at the margin\n  task :b\nend\n",
                )],
                &["a:b | rake a:b | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "namespace name_of(:x) do\n  task :env do\n  end\nend\nmultitask :fast => [:a]\n",
                )],
                &["fast | rake fast | ."],
            ),
        ],
    );
}

#[test]
fn loaded_files() {
    check(
        "import, load, require_relative, rakelib",
        &[
            (
                &[
                    ("Rakefile", "import 'tasks/doc.rake'\n"),
                    ("tasks/doc.rake", "task :doc\n"),
                ],
                &["doc | rake doc | ."],
            ),
            (
                &[
                    (
                        "Rakefile",
                        "Dir.glob('rake/*.rake').each { |f| import f }\n",
                    ),
                    ("rake/a.rake", "task :a\n"),
                    ("rake/b.rake", "namespace :b do\n  task :c\nend\n"),
                ],
                &["a | rake a | .", "b:c | rake b:c | ."],
            ),
            (
                &[
                    (
                        "Rakefile",
                        "require_relative 'tasks/release'\nrequire 'tasks/more'\n",
                    ),
                    ("tasks/release.rb", "task :release\n"),
                    ("tasks/more.rb", "task :more\n"),
                ],
                &["release | rake release | .", "more | rake more | ."],
            ),
            (
                &[
                    ("Rakefile", "Rails.application.load_tasks\n"),
                    ("lib/tasks/deep/x.rake", "task :x\n"),
                    ("rakelib/y.rake", "task :y\n"),
                ],
                &["x | rake x | .", "y | rake y | ."],
            ),
        ],
    );
}
