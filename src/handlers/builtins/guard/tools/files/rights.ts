import { type Call, finds, type Programs, tools } from '../../call.ts'
import { kindsOf } from '../../places.ts'

const rightsOf = (call: Call): void => {
  const { find, machine, name } = call
  const mode = call.text(0)
  const targets = call.has('reference') ? call.operands : call.operands.slice(1)
  for (const path of targets.flatMap(call.paths)) {
    const loss = call.loss(path)
    if (call.has('R') && loss?.isCertain === true) find('destroy', 'changesAllRights', path, true)
    else if (call.has('R') && /^deletes(?:Outside|System)$/.test(loss?.says ?? ''))
      find('privilege', 'changesAllRights', path)
    if (name === 'chmod') {
      const isOwners = /^[0-7]?[4-7][0-7]{3}$|[ug+,=]\S*s/.test(mode) && /^[2467]/.test(mode.padStart(4, '0'))
      if (isOwners || /^[ugoa]*\+\S*s|^[ug]\+s/.test(mode)) find('privilege', 'getsRights', path)
      const isForAll =
        /^[0-7]?[0-7]{2}[2367]$/.test(mode) ||
        (/(?:^|,)(?:[ug]*[ao][ugoa]*)?[+=]r?w/.test(mode) &&
          /[ao]|^[+=]/.test(mode) &&
          !/^\+[rx]+$/.test(mode))
      if (isForAll && !mode.startsWith('u')) find('privilege', 'opensToAll', path)
      const kinds = kindsOf(path)
      if (kinds.has('key') && !/^(?:0?[0-7]00|[ugoa]*-|go=$|u=)/.test(mode))
        find('secret-access', 'opensToAll', path)
      if (
        (kinds.has('rights') || kinds.has('start')) &&
        !isForAll &&
        !path.startsWith(machine.cwd) &&
        !/^(?:0?[0-7]00|0?64[04]|0?755|[ugoa]*[-+][rx]|go-)/.test(mode)
      )
        find('privilege', 'writesRights', path)
      if (/^0*$/.test(mode) && path.startsWith('~') && !path.includes('/'))
        find('destroy', 'changesAllRights', path, true)
    } else if (/^(?:root|0)?(?::|$)/.test(mode) && /root|^0/.test(mode) && !call.has('R'))
      find('privilege', 'writesRights', path)
  }
}

export const rightsTools: Programs = {
  ...tools('chmod chown chgrp', 'R,recursive reference= help! version! from=', rightsOf),
  ...tools('setfacl chattr chflags chcon', 'R,recursive m=,modify= x= help', (call) => {
    for (const path of call.operands.flatMap(call.paths)) {
      const loss = call.loss(path)
      if (loss?.isCertain === true || loss?.says === 'deletesSystem' || kindsOf(path).size > 0)
        call.find('privilege', 'writesRights', path)
    }
  }),
  ...tools(
    'setcap',
    '',
    finds('privilege', 'getsRights', (call) => call.text(0)),
  ),
}
