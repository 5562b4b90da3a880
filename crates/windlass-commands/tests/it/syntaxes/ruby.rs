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
                    "check:style:auto_correct | rake check:style:auto_correct | .",
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

#[test]
fn loops_over_the_keys_of_hashes() {
    check(
        "hashes",
        &[
            (
                &[(
                    "Rakefile",
                    "GEMS = {\n  # the names\n  'core' => '.',\n  'extra' => './extra, or so'\n}.freeze\n\nnamespace :push do\n  GEMS.each do |gem, folder|\n    task gem => folder do\n    end\n  end\nend\n",
                )],
                &[
                    "push:core | rake push:core | .",
                    "push:extra | rake push:extra | .",
                ],
            ),
            (
                &[(
                    "Rakefile",
                    "{ web: { port: 1 }, \"api\": 2 }.each_key do |name|\n  task \"start:#{name}\"\nend\n",
                )],
                &[
                    "start:web | rake start:web | .",
                    "start:api | rake start:api | .",
                ],
            ),
            (
                &[(
                    "Rakefile",
                    "ALL = { :a => 1, :b => [2, 3] }\nALL.keys.each do |name|\n  task name\nend\nALL.each_value do |value|\n  task value\nend\n",
                )],
                &["a | rake a | .", "b | rake b | ."],
            ),
        ],
    );
}

#[test]
fn methods_that_define_tasks() {
    check(
        "methods",
        &[
            (
                &[(
                    "Rakefile",
                    "namespace :deps do\n  def update_task(name, folder)\n    desc \"Update #{folder}\"\n    task name do\n    end\n  end\n\n  update_task :gems, '.'\n  update_task(\"packages\", 'web')\nend\n",
                )],
                &[
                    "deps:gems | rake deps:gems | .",
                    "deps:packages | rake deps:packages | .",
                ],
            ),
            (
                &[(
                    "Rakefile",
                    "def build name\n  task \"build:#{name}\" do\n  end\nend\n\n%w[x y].each do |platform|\n  build platform\nend\nbuild computed()\n",
                )],
                &["build:x | rake build:x | .", "build:y | rake build:y | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "def again(name)\n  again name\n  again name\n  task name\nend\nagain :one\n",
                )],
                &["one | rake one | ."],
            ),
        ],
    );
}

#[test]
fn what_actions_define_is_not_listed() {
    check(
        "definitions in actions",
        &[
            (
                &[(
                    "Rakefile",
                    "task :style do\n  if ENV['X']\n    require 'rubocop/rake_task'\n    RuboCop::RakeTask.new\n  end\nend\ntask default: :style\n",
                )],
                &["style | rake style | .", "default | rake default | ."],
            ),
            (
                &[
                    (
                        "Rakefile",
                        "desc 'Ship it'\nmultitask :ship, [:to] => %w[a] do |t, given|\n  load 'late.rake'\n  %w(x y).each do |name|\n    task name\n  end\nend\ntask :a\n",
                    ),
                    ("late.rake", "task :late\n"),
                ],
                &["ship | rake ship | .", "a | rake a | ."],
            ),
            (
                &[(
                    "Rakefile",
                    "namespace :db do\n  file 'x.db' do\n    task :never\n  end\n  task(:up) do\n    task :nor_this\n  end\n  task :down\nend\ntask(:one) { puts 1 }\ntask :two\n",
                )],
                &[
                    "db:up | rake db:up | .",
                    "db:down | rake db:down | .",
                    "one | rake one | .",
                    "two | rake two | .",
                ],
            ),
        ],
    );
}
