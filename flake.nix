{
  description = "Windlass: plan, allowed commands and checked work for coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "windlass";
          version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=windlass" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests start clients, runners and browsers of the system.
          doCheck = false;
          postInstall = ''
            $out/bin/windlass man --out man
            installManPage man/*.1
            installShellCompletion --cmd windlass \
              --bash <($out/bin/windlass completions bash) \
              --zsh <($out/bin/windlass completions zsh) \
              --fish <($out/bin/windlass completions fish)
          '';
          meta.mainProgram = "windlass";
        };
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.clippy
            pkgs.rustc
            pkgs.rustfmt
            pkgs.git
            pkgs.just
            pkgs.nodejs
            pkgs.python3
          ];
        };
      });
    };
}
