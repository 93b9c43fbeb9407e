import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Python looks for modules in the working folder first when its program is text, a module or stdin, as in a sealed
 * script's `python3 -c 'import json'`: a file of the workspace would answer in the module's place. A sealed script keeps
 * its own folder first; one that runs from where it lies, and a module that is run by name, find the workspace last.
 */
const start = `import atexit, gc, os, sys
first = sys.argv[0] if getattr(sys, 'argv', None) else ''
seals = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))), 'seal', '')
if not hasattr(sys.flags, 'safe_path'):
    if first in ('', '-', '-c'):
        sys.path_importer_cache[os.getcwd()] = None
elif first == '-m':
    sys.path.append(os.getcwd())
elif first not in ('', '-', '-c'):
    own = os.path.dirname(os.path.realpath(first))
    sys.path.insert(0, own) if own.startswith(seals) else sys.path.append(own)
# Its way out is most of what a waiting hook takes: what the system takes back anyway need not be looked through.
atexit.register(lambda: (gc.disable(), gc.freeze()))
`

/** Writes what every Python of a hook reads first into the gate's folder, where no agent can; the folder for `PYTHONPATH`. */
export const preparePython = (home: string): string => {
  const folder = join(home, 'run', 'python')
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeFileSync(join(folder, 'sitecustomize.py'), start, { mode: 0o644 })
  return folder
}
