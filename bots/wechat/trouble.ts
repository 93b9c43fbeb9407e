/** What the owners know of the connection. */
export interface Trouble {
  /** Nothing arrives or leaves. */
  report(why: string): void
  /** All is well. Owners are told that when they knew of a trouble, and `news` in any case. */
  end(news?: string): void
}

export const createTrouble = (tell: (what: string, isBack: boolean) => void): Trouble => {
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
      else if (wasTroubled) tell('WeChat is logged in.', true)
    },
  }
}
