/**
 * Returns the script of the first process in a sandbox. It starts the program without any rights and waits
 * for it. The first process keeps its rights, and nobody else there has them, so no other process can trace
 * it or take it over. It also reaps processes that lost their parent. Descriptor 3 belongs to the program,
 * and a shell gives no stdin to a background program, hence the redirections. The shell prints nothing about
 * the program's end, because the gate reports it.
 */
export const firstProcessScript = (setpriv: string): string =>
  `exec 8>&2 9<&0 2>/dev/null; ${setpriv} --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@" <&9 2>&8 8>&- 9<&- & exec 8>&- 9<&-; wait $!`
