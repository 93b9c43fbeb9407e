import { forgeries } from '../../src/attack/table.ts'
import { attackFromHost } from './host.ts'

attackFromHost(
  'none',
  forgeries.filter((_, index) => index % 2 === 1),
)
