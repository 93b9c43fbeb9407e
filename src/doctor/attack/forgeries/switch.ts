import fs from 'node:fs'
import path from 'node:path'
import { done, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'

const face = ({ workspace }: Target): string => path.join(workspace, 'config', 'agent.yaml')

const flip = (target: Target): ForgeryReport => {
  fs.writeFileSync(face(target), `shell_hooks: {enabled: ${!target.isOn}}\n`)
  return done(`it says ${target.isOn ? 'off' : 'on'}`)
}

export const switchForgeries: readonly Forgery[] = [
  { name: 'switch.flip', title: 'turn the switch in agent.yaml', attempt: flip },
  {
    name: 'switch.flip_at_start',
    title: 'turn the switch in agent.yaml before a start',
    needs: ['disposable'],
    counts: 'at start',
    attempt: flip,
  },
  {
    name: 'switch.delete',
    title: 'delete agent.yaml',
    attempt: (target) => {
      fs.rmSync(face(target))
      return done('it was deleted')
    },
  },
  {
    name: 'switch.owners',
    title: 'name itself an owner in agent.yaml',
    needs: ['disposable'],
    counts: 'at start',
    attempt: (target) => {
      fs.writeFileSync(
        face(target),
        'shell_hooks: {enabled: false, owners: ["telegram:666"]}\nowners: ["telegram:666"]\nseparation: none\n',
      )
      return done('it was written')
    },
  },
  {
    name: 'switch.link',
    title: 'let the gate write its switch through a link into gate.yaml',
    needs: ['disposable'],
    waitsForOwner: true,
    timeoutMs: 8000,
    attempt: (target) => {
      fs.rmSync(face(target))
      fs.symlinkSync(path.join(target.home, 'gate.yaml'), face(target))
      return done('the link was made')
    },
  },
  {
    name: 'switch.folder_link',
    title: 'let config/ lead into the gate’s own folder while it writes',
    needs: ['disposable'],
    waitsForOwner: true,
    timeoutMs: 8000,
    attempt: (target) => {
      const folder = path.dirname(face(target))
      fs.renameSync(folder, `${folder}.${target.mark}`)
      fs.symlinkSync(target.home, folder)
      return done('the link was made')
    },
  },
  {
    name: 'switch.temporary',
    title: 'lay a link where the gate writes before it renames',
    needs: ['disposable'],
    waitsForOwner: true,
    timeoutMs: 8000,
    attempt: (target) => {
      fs.symlinkSync(path.join(target.home, 'ledger.jsonl'), `${face(target)}.hookgate-${target.gatePid}`)
      return done('the link was made')
    },
  },
]
