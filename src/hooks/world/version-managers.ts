/**
 * Programs of a home that choose a version by a file of the working folder, which an agent can write: a version that is
 * not there would end a guard, and rustup would run the agent's own. They are told not to look there. Sources: the
 * manuals of pyenv, rbenv, nodenv, goenv and rustup. What has no such variable is left off the hooks' PATH.
 */
const unled = { PYENV_DIR: '/', RBENV_DIR: '/', NODENV_DIR: '/', GOENV_DIR: '/', RUSTUP_TOOLCHAIN: 'stable' }

/** What every hook gets so that these programs are the person's choice and not the agent's. `path`: the hooks' PATH. */
export const versionEnv = (path: string): Readonly<Record<string, string>> => {
  // It would look for its toolchains in the hooks' HOME.
  const cargo = path.split(':').find((folder) => folder.endsWith('/.cargo/bin'))
  return {
    ...unled,
    ...(cargo === undefined ? {} : { RUSTUP_HOME: cargo.replace(/\/\.cargo\/bin$/, '/.rustup') }),
  }
}
