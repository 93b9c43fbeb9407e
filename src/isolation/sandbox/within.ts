/**
 * What the first process of a sandbox does: it starts the program without any right and waits for it. Itself it keeps
 * its rights, as nobody else there has them: so nobody there can trace it or take it over, and it buries who has lost
 * its parent. Descriptor 3 is the program's own, and a shell would give a program behind it no stdin. What the shell has to
 * say of the program's end is said by the gate.
 */
export const firstProcessScript = (setpriv: string): string =>
  `exec 8>&2 9<&0 2>/dev/null; ${setpriv} --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@" <&9 2>&8 8>&- 9<&- & exec 8>&- 9<&-; wait $!`
