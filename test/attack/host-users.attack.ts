import { describe } from 'vitest'
import { attackFromHost, forUsers } from './host.ts'

describe('three users', forUsers, () => {
  attackFromHost('users')
})
