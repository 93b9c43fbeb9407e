import { ProblemError, type Problem } from '../../src/core/model/gate/problem.ts'

/** The problem error with which the work ends. */
export const errorOf = (run: () => unknown): ProblemError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
  throw new Error('Nothing was wrong with it.')
}

/** The first problem with which the work ends. */
export const problemOf = (run: () => unknown): Problem => errorOf(run).problem
