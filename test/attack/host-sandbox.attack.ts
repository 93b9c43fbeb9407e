import { attackFromHost } from './host.ts'

attackFromHost('sandbox')
