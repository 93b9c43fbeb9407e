import { prose, type Prose } from '../../../src/core/model/chat/prose.ts'

/** Tells the owners about the state of the connection. */
export interface Trouble {
  /** Reports that no message arrives or leaves. */
  report(why: Prose): void
  /** Reports that the connection works. Owners are told after a reported trouble. `news` is always told. */
  end(news?: Prose): void
}

export const createTrouble = (tell: (what: Prose, isBack: boolean) => void): Trouble => {
  let isTroubled = false
  return {
    report: (why) => {
      isTroubled = true
      tell(why, false)
    },
    end: (news) => {
      const wasTroubled = isTroubled
      isTroubled = false
      if (news !== undefined) tell(news, true)
      else if (wasTroubled) tell(prose`logged in. Messages arrive and leave.`, true)
    },
  }
}
