/** Words about instructions: to disregard them, and to show them. */
export const instructions = {
  /** To take as if it had not been said; the object follows. */
  disregard: `
    drop stop+your stop+the ignore disregard forget discard override stop+following throw+away throw+out
    let+go+of never+mind shut+out skip+over do+away+with put+out+of+your+mind stop+listening+to stop+being
    scrap overlook overrule neglect unlearn supersede stop+obeying abandon tune+out no+longer+heed dismiss
    set+aside wipe+away erase put+aside cast+aside push+aside leave+aside pay+no+attention pay+no+heed
    bo+qua lay+aside
    ignoriere ignorieren ignorier vergiss vergesse vergessen missachte missachten uebergehe ubergehe
    verwirf ueberschreibe uberschreibe ignorez ignorer oublie oubliez oublier neglige negligez
    fais+abstraction faites+abstraction ne+tiens+pas+compte ne+tenez+pas+compte ignora ignorar ignore+se
    ignorad olvida olvidar olvide olvidate omite omitir haz+caso+omiso haga+caso+omiso descarta desatiende
    esqueca esquecer desconsidere desconsidera desconsiderar descarte ignorate dimentica dimenticare
    dimenticate trascura zignoruj ignoruj zapomnij negeer vergeet ignorera glom
    игнорируй* игнорировать проигнорируй* забудь забудьте забыть отмени* не+обращай* пренебреги*
    忽略 忽视 忽視 無視 无视 忘记 忘記 忘掉 忘了 不要理会 不要理會 不理会 抛开 抛弃 丢弃 摒弃 不用管 别管
    不要管 不用理会 放下 撇开 抛诸脑后 不必理会 无需理会
    تجاهل انس overwrite do+the+opposite+of 忘掉一切 放弃`,
  /** The same, but one that people also say about what strangers write. */
  refuse: `
    must+not+follow not+obey do+not+follow dont+follow do+not+obey dont+obey no+longer+follow
    dont+need+to+follow do+not+need+to+follow no+need+to+follow do+not+have+to+follow dont+have+to+follow
    need+not+follow stop+following not+comply do+not+comply
    beachte+nicht befolge+nicht no+sigas ne+suis+pas ne+suivez+pas
    не+следуй*
    不要遵守 不要遵循 従わない 不用遵守 不必遵守 无需遵守`,
  /** The same, where the object comes before it. */
  disregardLast: `
    do+not+matter dont+matter no+longer+matter are+outdated did+not+exist does+not+exist are+wrong
    are+void are+now+void no+longer+apply are+cancelled are+canceled are+null are+obsolete
    are+no+longer+valid is+no+longer+valid no+longer+applies do+not+apply+anymore was+a+test was+fake
    is+fake are+fake is+false are+false is+outdated was+only+a+test expired have+expired has+expired
    no+longer+count no+longer+counts no+longer+bind no+longer+binding cancelled canceled have+no+effect
    has+no+effect were+wrong was+wrong are+over is+over is+obsolete was+only+an+example was+an+example
    was+just+an+example are+irrelevant was+a+simulation was+a+joke withdrawn were+a+trick was+a+trick
    are+revoked are+superseded are+suspended is+suspended ignorieren vergessen missachten yok+say*
    gormezden+gel* unut* ungultig hinfallig unwirksam invalides invalidas недействительны 無視 無効
    忘れ 従わない 従うな 破棄 忽略 无视 作废 是假的 都是假的 不再有效 失效 已过时 已取消 取消 废止
    不算数 不再适用 无效了 已无效 只是测试 只是示例 무시 잊어 잊고 따르지 अनदेखा नजरअंदाज नज़रअंदाज़
    was+for+testing was+a+drill`,
  /** All that was said, without a word for it. */
  said: `    text+before
words+above text+above lines+above sentences+above everything+above everything+before everything+you+know everything+i+said everything+said what+i+said everything+you+were everything+you+have anything+you+were everything+until+here everything+so+far the+developer+wrote your+developer+wrote first+message+in everything+your+developer everything+that+was whatever+your all+you+know all+you+were was+man+dir text+before+my everything+before+my everything+up+to all+up+to+here what+the+developer+told what+your+developers+told what+you+were+told everything+that+came all+that+came whatever+you+were+told text+that+stands message+before+mine everything+you+learned everything+you+learnt precede alles+bisherige alles+oben alles+was tout+ce+qui todo+lo+que tudo+o+que tutto+cio+che ce+quon+ta was+dir+gesagt lo+que+te+dijeron всё+что все+что 上面的内容 以上内容 之前的内容 之前的对话 前面的内容 以上全て ここまで 以上の内容 刚才的规定 之前说的 前面说的 以上所有 上文 上文内容`,
  above: `
    the+above all+of+the+above
    lo+anterior todo+lo+anterior 以上`,
  given: `
    made+you+follow told+you+to
    you+have+been+following you+were+given you+have+been+given you+received youve+been+given you+got
    you+are+given were+you+given did+you+get did+you+receive have+you+been+given you+received+until
    you+have+received wrote+to+you written+to+you you+have+to+obey you+must+obey you+have+to+follow
    you+must+follow you+run+under you+were+told you+have+been+told were+you+told
    hast+du+erhalten hast+du+bekommen dir+gegeben as+tu+recu te+dieron has+recibido
    你收到的 给你的 gave+you gives+you provided+to+you they+gave+you 给你 at+the+start+of+this at+the+beginning+of+this at+the+top+of+this you+follow`,
  entire: `
    entire full whole exact verbatim word+for+word everything whatever letter+for+letter
    from+the+first+word starting+from+the+first integral* complet*
    gesamten gesamte ganzen vollstandig* completo* texto+completo entero
    полный полностью дословно
    完整 全文 逐字 全部 完整地 一字不差
    전체`,
  prior: `
    previous* prior preceding above earlier existing original initial old before current past your
    standing aforementioned so+far up+to+now until+now given+to+you already+given assigned starting
    foregoing hitherto former precedent* tue
    vorherig* vorig* bisherig* obig* fruher* frueher* vorangegangen* deine deiner deinen ihre anterieur*
    ci+dessus prealable* tes vos anterior* previa* previo* tus sus poprzedni* eerdere tidigare onceki
    предыдущ* прежн* вышеуказанн* выше ранее свои твои
    之前 以前 先前 上面 前面 以上 上述 此前 你的 原有 原来 既有 前述 您的 これまで 上記 今まで 先ほど 前の
    あなたの 元の 刚才的 刚才
    이전 위의 지금까지 앞의 기존
    पिछले السابقة`,
  /** What only a model is given. */
  orders: `
    prompt prompts direction guidance programming guardrail* pre+prompt* what+i+said directive* preprompt*
    briefing instruction* directions what+you+were+told what+you+have+been+told what+i+told+you guideline*
    training instruc*
    anweisung* instruktion* vorgabe* eingabeaufforderung* consigne* instruccion* indicacion* directriz
    directrices directiva* orientac* diretriz* istruzion* direttiv* instrukcj* polecen* talimat*
    инструкци* указани* промпт* директив* установк* подсказк*
    指令 指示 提示词 提示詞 指引 指図 プロンプト インストラクション
    지시 프롬프트 지침
    निर्देश* التعليمات`,
  /** The same, but of other things, too. */
  rules: `
    rule rules command commands order policy policies restriction* limitation* filter filters message
    messages context limit limits safeguard* protocols request requests constraint* orders regulation*
    principles
    regel regeln befehl* richtlinie* einschrankung* einschraenkung* beschrankung* regle regles ordre
    ordres regla reglas orden ordenes restriccion* regra regras ordens regola regole ordini comandi reguly
    zasady regels regler kural*
    правил* приказ* команд* ограничени*
    规则 規則 提示 設定 设定 说明 說明 要求 限制 规定 規定 约束 对话 指南 ルール 規約 制約 制限 命令
    명령 규칙 제한
    नियम* القواعد 准则`,
  revealStrong: `
    reveal disclose expose leak divulge unveil
    verrat* offenbare offenbaren offenlegen enthulle enthuelle revele* divulgue* revela* rivela ujawnij
    onthul
    раскрой* выдай*
    透露 泄露 洩露 明かし
    اكشف`,
  revealLast: `
    goster* acikla* ausgeben zeigen nennen verraten wiederholen
    表示 教えて 明かし 開示 出力 見せ 公開 書き出 繰り返し 复述 说出来 发给我 告诉我 打印出来 原样打印
    列出来 写出来 是什么
    보여 공개 알려 출력 말해
    दिख* बत* 翻译成 翻译为`,
  /** What a person asked for. */
  duties: `
    assignment assignments task tasks question questions conversation request requests wish wanted
    asked+for wishes
    aufgabe* frage* auftrag* tache* tarea* pregunta* pergunta* compito domanda*
    задани* задач* вопрос*
    任务 任務 问题 問題 对话 タスク 質問 会話 请求 要求
    작업 질문`,
  reveal: `
    what+does show print output repeat display tell+me tell+us give+me share write+out write+down dump
    list echo paste copy what+is what+are what+was what+were output+all quote reproduce provide send+me
    let+me+see expand explain describe type+out print+out read+out translate encode extract give+us
    read+back play+back let+me+have see+the hand+over whats whats+in whats+your betray wording summarize
    spell+out spill was+ist toon visa
    gib recite summarise restate zeige zeig zeigen nenne drucke wiederhole wiederholen gebe geben kopiere
    kopieren liste ausgeben was+sind wie+lauten affiche* montre* donne* repete* imprime* copie* dis+moi
    dites+moi ecris recopie* quelles+sont quel+est muestra* muestre* repite repita dime diga diganos
    cuales+son cual+es copia lista devuelve ensename mostre diga+me mostra* stampa dimmi ripeti elenca
    pokaz avsloja
    покажи* выведи* вывед* повтори* напиши* сообщи* открой* распечатай* назови* скажи*
    显示 顯示 告诉我 告訴我 输出 輸出 打印 展示 公开 公開 重复 列出 说出 複述 复述 给我 发给我 看看 贴出
    贴出来 打印出来 写出
    اعرض state recount want+to+see i+need need+to+see read+me`,
  /** What makes a prompt the system's own. */
  systems: `
    system hidden initial private original your developer* underlying above pre secret* confidential
    intern* ihr
    systeme sistema cachee* privee* interne* votre vos ton tes oculta* oculto* privad* tu tus su sus seu
    suas versteckt* verborgen* geheim* dein* ihre ihren sistem gizli
    системн* скрыт* секретн* внутренн* свой свои твой твои начальн*
    系统 系統 隐藏 隱藏 内部 初始 你的 秘密 最初 您的 システム 隠さ* あなたの 初期
    시스템 숨겨진 당신의 내부
    सिस्टम النظام`,
  hidden: `
    hidden secret private confidential privat*
    oculta* oculto* cachee* secrete* privee* versteckt* verborgen* geheim* nascost* segret* privad* gizli
    скрыт* секретн*
    隐藏 隱藏 秘密 隠さ*
    숨겨진 비밀 internal 内部 内部的`,
  /** Both in one word. */
  systemPrompt: `
    system+prompt* systemprompt* system+message* system+rules hidden+prompt* secret+prompt*
    initial+prompt* hidden+rules developer+message* developer+prompt* tool+list setup+message setup+prompt
    setup+instructions starting+prompt opening+prompt system+prompt+begins base+prompt pre+prompt
    hidden+context system+instruction* hidden+instruction* secret+instruction* first+instruction
    developer+instruction*
    invite+systeme prompt+systeme instructions+systeme prompt+del+sistema prompt+do+sistema
    prompt+di+sistema systemanweisung* prompt+de+sistema instrucciones+del+sistema mensaje+del+sistema
    systemeingabe* sistem+istem* metaprompt
    системный+промпт системного+промпта системн*+промпт* системн*+подсказк* системн*+инструкци*
    系统提示 系統提示 系统指令 系統指令 システムプロンプト システムメッセージ システム指示 初始设定
    初始指令 初始提示 第一条消息 内部规则 内部指令 隐藏指令
    시스템+프롬프트 시스템프롬프트`,
} as const
