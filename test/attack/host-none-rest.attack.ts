import { attackFromHost } from './host.ts'

attackFromHost('none', (place) => place % 2 === 1)
