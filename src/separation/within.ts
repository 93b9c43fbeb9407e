/**
 * What the first process of a sandbox does: it starts the program without any right and waits for it. Itself it keeps
 * its rights, as nobody else there has them: so nobody there can trace it or take it over, and it buries who has lost
 * its parent. Descriptor 3 is the program's own; a shell would give a program behind it no stdin.
 */
export const startWithin = (setpriv: string): string =>
  `exec 9<&0; ${setpriv} --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@" <&9 9<&- & exec 9<&-; wait $!`
