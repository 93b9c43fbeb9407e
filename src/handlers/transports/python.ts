import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * When its program is text, a module or stdin, Python searches the working folder for modules first, as in a
 * sealed script's `python3 -c 'import json'`: a file of the workspace would replace the module. A sealed
 * script keeps its own folder first. A script that runs from its original path, and a module that is run by
 * name, search the workspace last.
 */
const start = `import atexit, gc, io, os, sys
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

def flushWriters():
    objects = gc.get_objects()
    writers = {kind for kind in set(map(type, objects)) if issubclass(kind, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom))}
    for left in objects if writers else ():
        try:
            if type(left) in writers:
                left.flush()
        except ValueError:
            pass # Closed, or not for writing.

def leave(main, code):
    if 'threading' in sys.modules:
        sys.modules['threading']._shutdown()
    atexit._run_exitfuncs()
    main.__dict__.clear()
    flushWriters()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream and stream.flush()
        except ValueError:
            pass # Closed by the program.
        except OSError:
            code = 120
    return code

# Where the first process of a hook that waits tells how it ends.
def place():
    try:
        return os.getsid(0) == os.getpid() and os.fstat(3).st_ino
    except OSError:
        return False

def run(path, text):
    main, code, told = sys.modules['__main__'], 1, place()
    if told:
        os.set_inheritable(3, False) # What the hook starts could tell an end that is not the hook's own.
        os.write(3, b'%d' % os.getpid())
    main.__file__, main.__cached__ = path, None
    for name in ('site', 'sitecustomize'):
        sys.modules[name].__spec__._initializing = False # Otherwise a thread that imports one waits until the program ends.
    gc.freeze()
    try:
        try:
            exec(compile(text, path, 'exec', dont_inherit=True), main.__dict__)
            code = 0
        except SystemExit as end:
            code = 0 if end.code is None else end.code
            if not isinstance(code, int):
                print(code, file=sys.stderr)
                code = 1
        except BaseException as fault:
            own = fault.__traceback__.tb_next
            sys.excepthook(type(fault), fault.with_traceback(own), own)
        code = leave(main, code)
    except BaseException as fault:
        code = code or 1
        sys.excepthook(type(fault), fault, fault.__traceback__)
    finally:
        try:
            if told and told == place():
                os.closerange(0, 3)
                os.write(3, b'%d %d' % (os.getpid(), code & 0xff))
        finally:
            os._exit(code & 0xff)

# A program that waited: the interpreter's own way out takes longer than all else, and goes through what the system takes
# back anyway. So its main file is run here, ended as Python ends one (threads, exit handlers, its names, what was not
# written yet), and the process is left.
if os.environ.pop('HOOKGATE_WARM', '') and os.path.isfile(first) and not sys.flags.inspect and not sys.flags.interactive:
    with open(first, 'rb') as file:
        text = file.read()
    if b'\\0' not in text: # An archive or compiled: Python's own to run.
        run(first, text)
`

/**
 * Writes the file that every Python of a hook reads first. It is in the gate's folder, where no agent can
 * write. Returns the folder for `PYTHONPATH`.
 */
export const preparePython = (home: string): string => {
  const folder = join(home, 'run', 'python')
  const file = join(folder, 'sitecustomize.py')
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, start)
  // The process's umask must not decide what the hooks' user can read.
  for (const path of [folder, file]) chmodSync(path, 0o755)
  return folder
}
