import { describe } from 'vitest'
import { needs } from '../needs.ts'
import { attackFromHost } from './host.ts'

describe('three users', needs('root', 'useradd', 'setpriv'), () => {
  attackFromHost('users')
})
