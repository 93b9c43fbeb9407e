/**
 * The same function, which keeps its last result. It computes again only when it gets another object, so that
 * a question about a list that rarely changes costs nothing.
 */
export const memoizeLast = <Value extends object, Result>(
  compute: (value: Value) => Result,
): ((value: Value) => Result) => {
  let last: { readonly value: Value; readonly result: Result } | undefined
  return (value) => {
    if (last?.value !== value) last = { value, result: compute(value) }
    return last.result
  }
}

/** The same function, which keeps the result of each object as long as the object lives. */
export const memoizeEach = <Value extends object, Result>(
  compute: (value: Value) => Result,
): ((value: Value) => Result) => {
  const results = new WeakMap<Value, { readonly result: Result }>()
  return (value) => {
    const known = results.get(value) ?? { result: compute(value) }
    results.set(value, known)
    return known.result
  }
}
