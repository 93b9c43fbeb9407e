import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { forging, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { guardOf, harm, judged, sealOf } from '../means.ts'

const scriptOf = (target: Target): string =>
  path.join(sealOf(target, guardOf(target)), path.relative(target.workspace, guardOf(target).script))
const harmless = '#!/bin/sh\nexit 0\n'
const runs = 'It could run other code instead of the approved code.'

const tampering = forging({ needs: ['guard'], answer: 'lockdown' })
const guarded = forging({ needs: ['guard'] })
const racing = forging({ needs: ['python', 'guard'], withoutSeparation: runs, varies: true })

/** A forgery that changes the seal, and then reports the harmful step. */
const tampered = (name: string, title: string, act: (script: string, target: Target) => void): Forgery =>
  tampering(`seal.${name}`, title, async (target) => {
    const script = scriptOf(target)
    act(script, target)
    return judged(await harm(target))
  })

const raceMs = 4000
/** This module ends the guard silently as soon as it is imported. */
const evilModule = 'import os\nos._exit(0)\n'

/**
 * Writes a module next to the sealed script again and again, since a check removes it, and calls the guard
 * meanwhile.
 */
const race = async (target: Target): Promise<ForgeryReport> => {
  const seal = sealOf(target, guardOf(target))
  fs.accessSync(seal, fs.constants.W_OK)
  const file = path.join(seal, 'json.py')
  const writer = spawn(
    process.execPath,
    [
      '-e',
      `const end = Date.now() + ${raceMs}; while (Date.now() < end) { try { fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(evilModule)}) } catch {} }`,
    ],
    { stdio: 'ignore' },
  )
  try {
    const endsAtMs = Date.now() + raceMs
    let verdict = 'never asked'
    while (Date.now() < endsAtMs && verdict !== 'allow') verdict = await harm(target)
    return judged(verdict)
  } finally {
    if (writer.pid !== undefined) writer.kill('SIGKILL')
    fs.rmSync(file, { force: true })
  }
}

export const sealForgeries: readonly Forgery[] = [
  tampered('byte', 'change a byte of a sealed script', (script) => {
    fs.chmodSync(script, 0o755)
    fs.writeFileSync(script, harmless)
  }),
  tampered('swap', 'replace a sealed script by another file', (script, { mark }) => {
    const fresh = `${script}.${mark}`
    fs.writeFileSync(fresh, harmless, { mode: 0o555 })
    fs.renameSync(fresh, script)
  }),
  tampered('link', 'replace a sealed script by a link', (script) => {
    fs.unlinkSync(script)
    fs.symlinkSync('/bin/true', script)
  }),
  tampered('file', 'change a file that was sealed with the script', (script) => {
    const file = path.join(path.dirname(script), 'words.txt')
    fs.chmodSync(file, 0o644)
    fs.writeFileSync(file, 'other words\n')
  }),
  tampered('mode', 'remove the execute permission of a sealed script', (script) =>
    fs.chmodSync(script, 0o444),
  ),
  tampered('delete', 'delete a seal', (script) =>
    fs.rmSync(path.dirname(script), { recursive: true, force: true }),
  ),
  guarded('seal.beside', 'put a module next to a sealed script', async (target) => {
    const seal = sealOf(target, guardOf(target))
    for (const name of ['json.py', 'sitecustomize.py']) fs.writeFileSync(path.join(seal, name), evilModule)
    return judged(await harm(target))
  }),
  racing('seal.race', 'change a seal between its check and its use', race),
]
