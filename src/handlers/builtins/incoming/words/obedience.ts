/** Words of texts that speak to an AI and want it to obey. */
export const obedience = {
  /** Whom a text speaks to; an AI follows. */
  addresses: `
    if+you+are if+youre hey hi hello note+to note+for message+to message+for attention any every you+as+an
    for+any to+any whoever dear
    si+eres wenn+du si+tu+es se+sei se+voce wenn+sie
    если+ты
    如果你是 若你是 作为 致 亲爱的 你好 请注意`,
  must: `
    must should shall have+to has+to need+to needs+to required+to are+required+to always please
    必须 应当 应该 需要 务必`,
  /** Words that count for nothing: to ignore orders in a text is a defence, and not every agent is an AI. */
  harmless: `
    instructions+in+it instructions+in+them instructions+in+the+text instructions+in+the+page
    instructions+in+the+document instructions+in+the+content instructions+in+the+data instructions+inside
    instructions+within instructions+contained instructions+embedded instructions+found
    instructions+that+appear assistant+manager* travel+agent* user+agent* assistant+professor*
    assistant+director*
    estate+agent* insurance+agent*
    其中的指令 文中的指令`,
  obey: `
    obey listen+to do+as do+exactly+as obey+without follow+without do+what+it+says do+as+it+says
    do+what+this do+as+this comply+with unconditionally
    听从 服从 遵守 遵循 听我的 无条件 必须执行 务必执行 照做 strictly+follow strictly+adhere+to 严格按照 do+whatever do+everything treat+this treat+the+following`,
  thisText: `
    this+text this+file this+page this+message this+email this+document these+instructions
    the+instructions+below what+this me the+text+in this+comment this+paragraph this+section
    these+directions these+orders
    本页 本文 本文件 此文件 下面的 以下 我的 我 本文件中 本邮件 这段话 以下命令 instruction+below instructions+below text+below next+paragraph the+following`,
  over: `
    only solely alone instead over+those above+those rather+than counts nothing+else contradicts even+if
    even+where higher+priority take+precedence takes+precedence precedence+over regardless+of
    more+important+than exclusively outrank*
    只 仅 唯一 而不是 优先于 高于 为准 override overrides outranks`,
  /** What a person is said to have given. */
  consented: `
    approved already+approved pre+approved authorized pre+authorized was+approved was+authorized
    has+approved permission+from agreed consented gave+consent gave+permission has+consented has+agreed
    preapproved authorised was+authorised
    已授权 授权 已同意 已批准 已经同意 已经批准 已经授权`,
  already: `
    already+approved already+authorized pre+approved already+agreed already+consented
    preapproved
    已授权 已同意 已批准 已经同意 已经批准 已经授权`,
  askFirst: `
    ask asking confirm check+with wait+for verify+with asking+the ask+before consult
    询问 征求 请示 等待 确认 征得 经过`,
  goOn: `
    just+proceed proceed+with go+ahead just+do+it
    直接执行 直接进行 立即执行 继续执行 直接删除 立刻执行`,
  noNeed: `
    no+need not+necessary no+longer+necessary not+needed no+longer+needed not+required no+longer+required
    unnecessary
    无需 不需要 不必 无须`,
  grant: `
    grant+you give+you hereby+grant granting+you
    授予你 赋予你`,
  upset: `
    has+changed have+changed was+changed has+been+replaced has+been+cancelled has+been+canceled
    已变更 已改变 有变 have+been+replaced have+been+changed have+been+updated has+been+updated 已更新`,
  halt: `
    stop+the+current stop+your+current stop+current abort+the+current stop+what+you drop+what+you
    stop+working+on stop+reading stop+translating stop+summarizing
    停止当前 停止当前的 停下当前 中止当前 停止翻译 停止总结 停止工作 停止你`,
  instead: `
    instead do+this+instead here+is+what+you
    改为 转而 改成 而是 现在由我`,
  workOn: `
    translate answer review analyze summarize analyse
    summarise
    总结 翻译 回答`,
  doThis: `
    reply+only+with respond+only+with answer+only+with say+only output+only reply+with+only
    respond+with+only reply+with+the+word instead+run instead+execute run+my+commands
    只回复 只回答 仅回复 仅输出 只输出 改为执行 转而执行 执行我的`,
  /** What a model has been given, beside its orders. */
  insides: `
    context+window your+context your+configuration your+tools tool+schemas configures+your defines+your
    your+behaviour your+behavior your+setup 你的配置 上下文 tools+that+you tools+you+can tools+you+have
    how+you+were+configured how+you+are+configured 你的工具`,
  stealth: `
    silently unnoticed covertly discreetly quietly
    secretly
    悄悄 偷偷 暗中 秘密地`,
  pretence: `
    as+if+nothing say+that+nothing say+nothing+was hide+that pretend+nothing never+mention
    leaves+no+trace leave+no+trace do+not+highlight do+not+point+out to+nobody so+that+nobody
    nobody+notices no+one+notices conceal+that without+anyone+noticing 假装什么都没 若无其事 不要说明
    不被发现 不留痕迹 以免被 不要指出`,
  money: `
    funds bank+account wallet money balance iban payment+details
    bitcoin
    余额 资金 收款 账户 账号 汇款 invoice+below bill+below 账单`,
  transfer: `transfer change+the replace+the wire withdraw 转到 转入 转账 修改 替换 pay 支付`,
  praise: `    above+all+others best+grade
positive+review positive+reviews only+positive always+say always+recommend five+stars top+score no+matter+what rate+this rank+this+first recommend+only ten+out+of+ten favourably favorably best+candidate positive+rating highest+score any+negatives no+negatives highest+rating top+rating 5+stars 10+out+of+10 正面评价 只给好评 好评 最高分 满分 只推荐`,
  against: `
    act+against against+the+will work+against against+the+wishes
    违背`,
  distrust: `
    not+to+be+trusted cannot+be+trusted do+not+trust dont+trust not+trust
    不可信 不要相信 别相信`,
  breakFree: `
    break+free free+yourself cast+off
    摆脱 挣脱`,
  limiting: `
    limit+you censor+you control+you hold+you+back
    restrain+you
    限制你 束缚你`,
  callTool: `
    call+the+tool use+the+tool invoke+the+tool run+the+tool
    调用工具 使用工具`,
  answer: `
    summary your+answer your+reply your+response your+report the+response the+answer
    回复 摘要 总结 回答`,
  /** What lies in the memory of an agent. */
  memory: `
    your+memory your+long+term+memory long+term+memory persistent+memory remember+forever
    remember+permanently store+permanently
    长期记忆 你的记忆 永久记住`,
  fiction: `
    in+this+story in+this+world lets+play as+if+you imagine+that in+this+game for+a+novel
    hypothetically fictional
    假设 虚构 在这个故事 假如`,
  made: `
    who+built+you who+created+you who+made+you who+wrote+you who+developed+you real+user your+developer
    your+creator
    who+trained+you
    你的开发者 你的创造者 我是你的主人 i+am+your+owner i+am+your+creator as+your+creator as+your+developer`,
  backdoor: `
    backdoor reverse+shell tracking+script backdoors keylogger rootkit
    malware
    后门 木马`,
  insert: `
    insert add install hide put embed include append plant
    插入 植入 添加 安装 加上 附上 end+your finish+your start+your begin+your 末尾写上 写上 开头加上`,
  yourSecrets: `
    secrets+you passwords+you credentials+you tokens+you password+you`,
  whatGiven: `
    what+rules which+rules what+guidelines what+restrictions what+limits which+instructions
    what+instructions
    哪些规则 什么规则 哪些指令 what+did+the+developers what+did+your+developers 开发者告诉你 开发者让你`,
  any: `
    any+more anymore any+longer no+longer
    不再 再也`,
  unseal: `
    decode decipher decrypt unpack
    解码 解密`,
  /** Whom an agent would serve. */
  serve: `
    you+work+for+me you+belong+to+me you+serve+me your+new+owner your+new+master
    为我工作 听我的命令 服从我 我的命令 my+instructions my+orders my+commands follow+mine follow+me obey+me i+order+you i+command+you your+only+purpose your+sole+purpose your+only+goal 我的指令 我命令你 唯一目的 唯一任务`,
  unsaid: `
    make+no+mention say+nothing+about say+nothing+of keep+silent+about leave+out
    只字不提 绝口不提`,
  insteadOf: `
    instead+of+the+summary instead+of+a+summary instead+of+answering instead+of+an+answer
    instead+of+the+answer instead+of+summarizing instead+of+translating`,
  /** A way round the work that the person asked for. */
  detour: `
    original+task before+you+answer before+you+go+on prior+to+solving prior+to+answering user+s+task
    users+task task+that+i+gave 原来的任务 原来的请求 原任务 用户的任务 在回答之前`,
  session: `
    this+session this+chat this+conversation this+answer this+reply
    本次会话 这次对话 本次对话`,
  fromUser: `
    from+me+your+user from+your+user from+your+owner from+your+developer* 来自用户的 来自开发者的
    来自主人的 as+if+the+user as+if+your+user as+if+it+came as+though+the+user`,
  everyAnswer: `
    every+answer each+answer every+reply each+reply all+your+answers every+response each+response
    每次回答 每个回答 所有回答 每条回复`,
  question: `
    what which how where whose
    什么 哪些`,
  notice: `
    find+out notice see+that know+that know+about see+this know+this
    发现 知道 察觉`,
  priority: `
    top+priority highest+priority absolute+priority
    最高优先级`,
  hideFrom: `
    stay+hidden+from remain+hidden+from be+kept+from
    hide+this+from hide+it+from keep+this+secret+from keep+it+secret+from conceal+this+from
    conceal+it+from keep+this+from keep+it+from keep+this+hidden+from
    隐瞒 瞒住`,
  override: `
    override overriding`,
  authority: `
    system admin security safety policy priority root developer administrator instruction emergency`,
} as const
