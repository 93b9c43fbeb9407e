/** The file in which the workspace proposes hooks. */
export const shellHooksFile = 'config/shell_hooks.yaml'
