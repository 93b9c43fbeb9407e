import { day, prepare } from './first-day.ts'
import { tell } from './hands.ts'

tell('the first day', day, { prepare }, [
  ['Telegram', 'en'],
  ['the page', 'en'],
])
