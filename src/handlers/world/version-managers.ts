/**
 * Version managers choose a version by a file of the working folder, which an agent can write. A version that
 * does not exist would break a guard, and rustup would run the agent's own program. These variables turn that
 * off. Sources: the manuals of pyenv, rbenv, nodenv, goenv and rustup. A version manager without such a
 * variable is left off the hooks' PATH.
 */
const unled = { PYENV_DIR: '/', RBENV_DIR: '/', NODENV_DIR: '/', GOENV_DIR: '/', RUSTUP_TOOLCHAIN: 'stable' }

/**
 * The variables with which the person, and not the agent, chooses the versions. `path` is the hooks' PATH.
 */
export const versionEnv = (path: string): Readonly<Record<string, string>> => {
  // Without this, rustup would search for its toolchains in the hooks' HOME.
  const cargo = path.split(':').find((folder) => folder.endsWith('/.cargo/bin'))
  return {
    ...unled,
    ...(cargo === undefined ? {} : { RUSTUP_HOME: cargo.replace(/\/\.cargo\/bin$/, '/.rustup') }),
  }
}
