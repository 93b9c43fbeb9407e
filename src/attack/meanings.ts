/** What forgeries of several kinds would mean for an owner, where only separation stands against them. What means the same is told under one line. */
export const opens = 'It could approve, switch and own as you.'
export const undoes = 'It could undo what you did: a revoked hook back, a guard gone.'
export const alone = 'Agents at your desk could go on alone while the gate is away.'
export const inTheirName = 'It could report in the name of agents at your desk.'
export const answersOthers = 'It could allow what other agents ask.'
