const { parentPort } = process.getBuiltinModule('node:worker_threads')

/** Where a worker's program hears and speaks. Throws in a program that is no worker. */
export const workerPort = (): NonNullable<typeof parentPort> => {
  if (parentPort === null) throw new Error('Expected to run as a worker thread, got the main thread.')
  return parentPort
}

/** Answers the questions of an answering worker, until it is killed. An error ends the worker. */
export const answerQuestions = (answer: (question: never) => unknown): void => {
  const port = workerPort()
  const serve = async (question: unknown): Promise<void> => port.postMessage(await answer(question as never))
  port.on('message', (question: unknown) => void serve(question))
  port.postMessage('ready')
}
