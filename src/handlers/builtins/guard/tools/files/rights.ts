import { textOf } from '../../reading/value.ts'
import { type Call, type Programs, tools } from '../../call.ts'
import { lossOf } from '../../deleting.ts'
import { pathsOf } from '../../files.ts'
import { kindsOf } from '../../places.ts'

const rightsOf = (call: Call): void => {
  if (call.has('help', 'version')) return
  const { machine, state, name } = call
  const mode = textOf(call.operands[0])
  const targets = call.has('reference') ? call.operands : call.operands.slice(1)
  for (const target of targets)
    for (const path of pathsOf(target, state)) {
      const isSystem = lossOf(path, { isRecursive: true }, machine.cwd)
      if (call.has('R')) {
        if (isSystem?.isCertain === true) machine.find('destroy', 'changesAllRights', path, true)
        else if (isSystem?.says === 'deletesOutside' || isSystem?.says === 'deletesSystem')
          machine.find('privilege', 'changesAllRights', path)
      }
      if (name === 'chmod') {
        if (/^[0-7]?[4-7][0-7]{3}$|[ug+,=]\S*s/.test(mode) && /^[2467]/.test(mode.padStart(4, '0')))
          machine.find('privilege', 'getsRights', path)
        else if (/^[ugoa]*\+\S*s|^[ug]\+s/.test(mode)) machine.find('privilege', 'getsRights', path)
        const isForAll =
          /^[0-7]?[0-7]{2}[2367]$/.test(mode) ||
          (/(?:^|,)(?:[ug]*[ao][ugoa]*)?[+=]r?w/.test(mode) &&
            /[ao]|^[+=]/.test(mode) &&
            !/^\+[rx]+$/.test(mode))
        if (isForAll && !mode.startsWith('u')) machine.find('privilege', 'opensToAll', path)
        const kinds = kindsOf(path)
        if (kinds.has('key') && !/^(?:0?[0-7]00|[ugoa]*-|go=$|u=)/.test(mode))
          machine.find('secret-access', 'opensToAll', path)
        if (
          (kinds.has('rights') || kinds.has('start')) &&
          !isForAll &&
          !path.startsWith(machine.cwd) &&
          !/^(?:0?[0-7]00|0?64[04]|0?755|[ugoa]*[-+][rx]|go-)/.test(mode)
        )
          machine.find('privilege', 'writesRights', path)
        if (/^0*$/.test(mode) && path.startsWith('~') && !path.includes('/'))
          machine.find('destroy', 'changesAllRights', path, true)
      } else if (/^(?:root|0)?(?::|$)/.test(mode) && /root|^0/.test(mode) && !call.has('R'))
        machine.find('privilege', 'writesRights', path)
    }
}

export const rightsTools: Programs = {
  ...tools('chmod chown chgrp', 'R,recursive reference= help version from=', rightsOf),
  ...tools('setfacl chattr chflags chcon', 'R,recursive m=,modify= x= help', (call) => {
    for (const operand of call.operands)
      for (const path of call.paths(operand)) {
        const loss = lossOf(path, { isRecursive: true }, call.machine.cwd)
        if (loss?.isCertain === true || loss?.says === 'deletesSystem' || kindsOf(path).size > 0)
          call.find('privilege', 'writesRights', path)
      }
  }),
  ...tools('setcap', '', (call) => call.find('privilege', 'getsRights', call.text(0))),
}
