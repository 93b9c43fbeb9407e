/** Options by their long names, and by the letters that may stand together behind one dash. */
interface Options {
  readonly letters?: string
  readonly names?: string
}

const ofLog: Options = {
  letters: 'bcimnpqrstuwzCEFGLMSU',
  names:
    '--abbrev-commit --after --all --author --before --branches --cached --cc --color --committer --date ' +
    '--decorate --exit-code --first-parent --follow --full-history --graph --grep --ignore-all-space ' +
    '--ignore-space-change --max-count --merge-base --merges --name-only --name-status --no-color ' +
    '--no-decorate --no-ext-diff --no-merges --no-patch --no-renames --no-textconv --numstat --oneline ' +
    '--patch --pickaxe-regex --quiet --reverse --shortstat --since --skip --staged --stat --summary --tags ' +
    '--topo-order --unified --until --word-diff',
}

/**
 * The programs that only read and print, and that run nothing that a word of theirs could name, with the
 * options for which that is known. A pattern of a grant covers nothing else. Left out are, for instance, `git
 * log --output` and `--format` (`%G` starts gpg), `git grep -O`, `rg --pre` and `-z`, `diff -l`, and `find`
 * with `-exec`, `-delete` or `-fprint`.
 */
const known: Readonly<Record<string, Options>> = {
  'git blame': { letters: 'beflnpstwCLM' },
  'git diff': ofLog,
  'git grep': {
    letters: 'acefhilmnopqrvwzABCEFGHILPW',
    names: '--and --cached --color --count --fixed-strings --heading --line-number --name-only --not --or',
  },
  'git log': ofLog,
  'git ls-files': {
    letters: 'cdikmostuxz',
    names: '--cached --deleted --error-unmatch --exclude-standard --ignored --modified --others --stage',
  },
  'git rev-parse': { names: '--abbrev-ref --git-dir --is-inside-work-tree --short --show-toplevel --verify' },
  'git show': ofLog,
  'git status': {
    letters: 'bsuvz',
    names: '--branch --ignored --long --porcelain --short --untracked-files',
  },
  cat: { letters: 'bensuvtAET', names: '--number --show-all' },
  diff: {
    letters: 'abcdeiqrstuwyBENU',
    names: '--brief --color --exclude --ignore-all-space --new-file --recursive --side-by-side --unified',
  },
  du: { letters: 'abcdhkmsx', names: '--all --human-readable --max-depth --summarize' },
  find: {
    names:
      '-a -and -empty -iname -ipath -maxdepth -mindepth -mmin -mtime -name -newer -not -o -or -path -perm ' +
      '-print -print0 -prune -size -type -user -xdev',
  },
  grep: {
    letters: 'abcefhilmnoqrsvwxyzABCEFGHILPRT',
    names:
      '--color --count --exclude --exclude-dir --extended-regexp --files-with-matches --fixed-strings ' +
      '--ignore-case --include --invert-match --line-number --max-count --only-matching --recursive ' +
      '--word-regexp',
  },
  head: { letters: 'cnqvz', names: '--bytes --lines --quiet' },
  ls: {
    letters: 'abcdfghiklmnopqrstuxABCFGHLRSTUX',
    names: '--all --almost-all --color --directory --full-time --human-readable --recursive --reverse --sort',
  },
  rg: {
    letters: 'abceghilmnopqstuvwxABCFHILMNPSTUV',
    names:
      '--color --context --count --files --files-with-matches --fixed-strings --glob --hidden --ignore-case ' +
      '--iglob --line-number --max-count --multiline --no-heading --no-ignore --only-matching --smart-case ' +
      '--sort --type --type-not --word-regexp',
  },
  stat: { letters: 'cfLst', names: '--dereference --format --terse' },
  tail: { letters: 'cnqvz', names: '--bytes --lines --quiet' },
  wc: { letters: 'clmwL', names: '--bytes --chars --lines --words' },
}

const optionsOf = ([program = '', second = '']: readonly string[]): Options | undefined => {
  // A file can have the name "git log". It is another program.
  const names = program.includes(' ') ? [] : [`${program} ${second}`, program]
  return names.filter((name) => Object.hasOwn(known, name)).map((name) => known[name])[0]
}

const isKnownOption = (word: string, { letters = '', names = '' }: Options): boolean =>
  names.split(' ').includes(word.replace(/=.*/s, '')) || new RegExp(`^-[${letters}\\d]*$`).test(word)

/** True for a command of these programs. A word that begins with a dash counts as an option anywhere. */
export const isKnown = (words: readonly string[]): boolean => {
  const options = optionsOf(words)
  return options !== undefined && words.every((word) => !word.startsWith('-') || isKnownOption(word, options))
}

/** True where a command that begins with these words can be one of these programs. */
export const canBeKnown = (words: readonly string[]): boolean =>
  isKnown(words) || (words.length === 1 && Object.keys(known).some((name) => name.split(' ')[0] === words[0]))
