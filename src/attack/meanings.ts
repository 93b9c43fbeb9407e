/**
 * What forgeries of several kinds would mean for an owner, where only separation prevents them. Forgeries
 * with the same meaning are shown under one line.
 */
export const opens = 'It could approve hooks, turn the switch and add owners in your name.'
export const undoes = 'It could undo what you did: bring a revoked hook back, or remove a guard.'
export const alone = 'Agents at your desk could continue without hooks while the gate is away.'
export const inTheirName = 'It could report events in the name of agents at your desk.'
export const answersOthers = 'It could allow the calls of other agents.'
