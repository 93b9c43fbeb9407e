/** A thread's body that lives and never says a word. */
setInterval(() => undefined, 1000)
