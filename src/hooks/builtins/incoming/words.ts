/**
 * The words of the grammar by their part in a sentence. A star ends a stem; a plus joins the words of a
 * phrase. All languages stand together, because a sentence does not say which one it is in. The lines of a
 * part go from English to other languages of Europe, to Russian, to Chinese and Japanese, and to the others.
 */
export const table = {
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
  disregardLast: `do+not+matter dont+matter no+longer+matter are+outdated did+not+exist does+not+exist are+wrong are+void are+now+void no+longer+apply are+cancelled are+canceled are+null are+obsolete are+no+longer+valid is+no+longer+valid no+longer+applies do+not+apply+anymore was+a+test was+fake is+fake are+fake is+false are+false is+outdated was+only+a+test expired have+expired has+expired no+longer+count no+longer+counts no+longer+bind no+longer+binding cancelled canceled have+no+effect has+no+effect were+wrong was+wrong are+over is+over is+obsolete was+only+an+example was+an+example was+just+an+example are+irrelevant was+a+simulation was+a+joke withdrawn were+a+trick was+a+trick are+revoked are+superseded are+suspended is+suspended ignorieren vergessen missachten yok+say* gormezden+gel* unut* ungultig hinfallig unwirksam invalides invalidas недействительны 無視 無効 忘れ 従わない 従うな 破棄 忽略 无视 作废 是假的 都是假的 不再有效 失效 已过时 已取消 取消 废止 不算数 不再适用 无效了 已无效 只是测试 只是示例 무시 잊어 잊고 따르지 अनदेखा नजरअंदाज नज़रअंदाज़ was+for+testing was+a+drill`,
  /** All that was said, without a word for it. */
  said: `words+above text+above lines+above sentences+above everything+above everything+before everything+you+know everything+i+said everything+said what+i+said everything+you+were everything+you+have anything+you+were everything+until+here everything+so+far the+developer+wrote your+developer+wrote first+message+in everything+your+developer everything+that+was whatever+your all+you+know all+you+were was+man+dir text+before+my everything+before+my everything+up+to all+up+to+here what+the+developer+told what+your+developers+told what+you+were+told everything+that+came all+that+came whatever+you+were+told text+that+stands message+before+mine everything+you+learned everything+you+learnt precede alles+bisherige alles+oben alles+was tout+ce+qui todo+lo+que tudo+o+que tutto+cio+che ce+quon+ta was+dir+gesagt lo+que+te+dijeron всё+что все+что 上面的内容 以上内容 之前的内容 之前的对话 前面的内容 以上全て ここまで 以上の内容 刚才的规定 之前说的 前面说的 以上所有 上文 上文内容`,
  above: `
    the+above all+of+the+above
    lo+anterior todo+lo+anterior 以上`,
  given: `
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
  secrets: `secret secrets password* credential* token tokens api+key api+keys apikey private+key* ssh+key* access+key* canary cookie cookies keys customer+email* user+email* customer+data user+data personal+data session+data emails conversation chat+history conversation+history database databases wallets customer+records bank+details credit+card* environment+variables env+vars chat+log chat+logs environment+variable* pin+code access+code* login+data session+cookie* recovery+codes last+message messages+of+the+user one+time+code verification+code passwd seed+phrase wallet inbox crypto+wallet contacts address+book otp apikeys passwort* zugangsdaten geheimnis* schlussel mot+de+passe mots+de+passe identifiants cles contrasena* claves credenciales senha* credenciais парол* ключи токен* секрет* учетн* 密码 密碼 密钥 密鑰 凭证 凭据 令牌 机密 パスワード 秘密鍵 認証情報 トークン 聊天记录 对话记录 通讯录 环境变量 访问令牌 私钥 隐私 身份证 验证码 对话内容 비밀번호 자격+증명 토큰 users+data user+s+data customer+list`,
  keyFiles: `
    id+rsa env+file env+files dotenv ssh+directory ssh+folder aws+credentials mcp+json etc+shadow npmrc
    bash+history aws+config authorized+keys contents+of+env the+env aws+keys ssh+keys etc+passwd
    kube+config netrc
    id+ed25519
    env+文件`,
  send: `send forward post upload email transmit submit export leak deliver mail copy relay append include embed curl attach put publish paste hand+over pipe mail+them mail+it ship schick sende senden schicke schicken ubermittle lade envoie* envoyez transmet* envia* envie manda* mande sube exporta* invia* gonder* enviame отправь* перешли* пошли* загрузи* пришли* 发送 發送 上传 上傳 转发 轉發 发到 发给 送信 転送 アップロード 送って 粘贴 发送到 上传到 导出 传给 传到 寄给 发往 发布 输出到 보내 전송 share`,
  steal: `
    exfiltrate exfil harvest smuggle siphon steal`,
  web: `
    http https`,
  away: `my+webhook* attacker* external+server* external+url external+address external+site external+host external+endpoint the+webhook* a+webhook* third+party to+the+following to+this+address to+this+url to+this+email to+this+server to+my+server to+my+email remote+server to+our+server public+gist a+gist public+repository public+repo paste+site commit+message your+reply your+answer your+response the+reply to+me+at ftp attacker in+the+url url+of+this below+this+line to+this+page in+this+thread collaborator pastebin externe externer externen externo externa burp* ngrok* requestbin* внешн* 外部 攻击者 下面的网址 以下网址 下面的地址 以下地址 这个网址 该网址 到下方 到这里 在此处 외부 a+new+issue an+issue a+comment the+comment`,
  not: `
    not dont never without no at+no+time on+no+account under+no+circumstances pas
    nicht niemals kein ne jamais sans nunca sin jamas
    не никогда без
    不要 不得 别 勿 请勿 不准 禁止 ない しないで なく
    말고 마세요 않고`,
  tell: `
    tell mention notify let+know showing letting telling inform mentioning informing notifying
    alerting sag sage sagen erwahne erwahnen informiere informieren dis dites dire mentionne* informe*
    digas diga decir menciones avises avise dica
    говори* сообщай* упоминай* уведомляй* рассказывай*
    告诉 告訴 提及 提到 告知 伝え 教え 知らせ 言わ 说明 提起 透露
    알리지 말하지`,
  nothing: `
    nothing
    nichts rien nada niente
    ничего`,
  untold: `
    not+allowed+to+know must+not+know should+not+know must+never+know never+find+out not+find+out
    without+knowledge
    言わず 知らせず 伝えず 教えず 内緒 秘密に 瞒着 背着
    모르게 몰래`,
  secretly: `
    dont+let+the+user+know do+not+let+the+user+know dont+let+anyone+know dont+let+them+know tell+no+one
    keep+quiet+about keep+this+from+the+user keep+it+from+the+user behind+the+users+back tell+nobody
    不要让用户知道 别让用户知道 不能让用户知道 不让用户知道 别告诉任何人`,
  inform: `
    alert reveal say disclose warn report let show showing reporting asking displaying revealing saying
    disclosing erwaehne melde préviens previens mencione
    通知 透露 说明 解释`,
  person: `
    the+user+is this+user+is user users human person owner operator anyone customer developer admin
    anybody humans
    utilisateur* supervisor benutzer nutzer niemand* anwender personne usuario* nadie utente usuário
    пользовател* никому человек*
    用户 用戶 任何人 使用者 主人 ユーザー 誰
    사용자 아무에게 developers operators`,
  ai: `
    ai llm claude gemini gpt agent agents language+model* ai+model copilot assistant* coding+agent
    large+language+model ai+assistant automated+system* llm+agent* chat+bot support+bot review+bot
    bot+that reviewer+bot chatbot autonomous+agent*
    llms chatgpt ki kunstliche+intelligenz ia asistente* assistent* une+ia un+ia ki+agent*
    ии нейросеть ассистент* ии+агент*
    人工智能 助手 助理 模型 智能体 アシスタント エージェント 大模型 语言模型 智能助手 审阅者 机器人
    어시스턴트`,
  reading: `
    reading processing analyzing parsing crawling review generating handling working+on when+you+read
    when+you+generate summarizing analysing visiting reviewing
    scraping summarising
    处理 阅读 审阅 总结`,
  mode: `
    mode access rights persona privileges
    modus modo
    режим*
    模式 モード
    모드`,
  power: `debug developer admin root sudo unrestricted jailbreak* dan superuser developer+who real+user built+you created+you made+you jailbroken unfiltered uncensored superadmin administrator* system+administrator elevated engineers+who god administrateur* administrador* entwickler* developpeur* desarrollador* trained+you администратор* разработчик* 管理员 管理員 开发者 開發者 越狱 超级用户 管理者 開発者 管理员的身份 超管 관리자 개발자 ceo 上帝`,
  activate: `
    granted enabled enable activate on enter entering entered engage switch start now in into active*
    activated unlocked unlock
    aktiviere activa entra entrer
    включи* активируй*
    启用 开启 进入 激活 有効 起動
    활성화 处于`,
  free: `
    no without free zero unrestricted unlimited bypass remove beyond any break had+no have+no has+no
    there+are+no knows+no sem senza lift freed
    ohne keine sans aucune sin ninguna
    без
    没有 无 不受 なし 不再受 不受任何 没有任何 毫无
    없이 release+you free+you freed+from 解除`,
  bounds: `
    restriction* limit limits limitation* filter filters rule rules safety guardrail* constraints
    boundaries law content+filter* safeguard* policies warnings alignment inhibitions scruples taboo*
    guideline* moral* training laws
    content+polic* polic* censorship ethic* beschrankung* einschrankung* regel* regle* regla* regola*
    regole filtre* limites restricciones filtros
    ограничени* фильтр* цензур*
    限制 约束 过滤 道德 规则 制限 フィルター 法律 过滤器 内容过滤
    제한`,
  gone: `
    disabled removed bypassed off never+happened do+not+exist does+not+apply turned+off switched+off
    behind deactivated lifted suspended revoked suspended+for were+lifted unlocked
    aufgehoben deaktiviert levees desactivadas desactivado
    сняты отключены
    解除 已解除 取消 無効 已经关闭 已关闭 已停用 已失效 do+not+apply 不适用 do+not+count`,
  henceforth: `
    you+are+now youre+now from+now+on lets+play you+will+now+act you+are+no+longer from+here+on
    you+have+been+upgraded you+have+been+updated you+have+been+reset context+was+reset
    context+window+was+reset
    henceforth ab+jetzt ab+sofort du+bist+jetzt vous+etes+maintenant desormais a+partir+de+maintenant
    a+partir+de+ahora ahora+eres a+partir+de+agora d+ora+in+poi
    отныне теперь+ты ты+теперь
    从现在开始 从现在起 你现在是 今から 从此刻起 从此以后 从今以后
    지금부터 이제부터 have+been+reprogrammed were+reprogrammed`,
  become: `
    act+as act+like pretend become behave simulate imagine+you respond+as going+forward you+will+be
    you+shall+be stay+in+character you+are+going+to in+the+voice+of as+someone+with new+identity roleplay
    impersonate tue+so
    role+play take+the+role play+the+role assume+the+role in+the+role+of eres du+bist+nun stell+dir+vor
    tu+es+maintenant vous+etes+desormais agis+comme actua+como finge agora+voce ora+sei
    представь притворись действуй+как веди+себя
    假装 扮演 你将扮演 现在你是 あなたは今 ふりをし 演じ 新身份
    척해 begin+as start+as continue+as`,
  youAre: `
    has+been+verified+as verified+as is+a+trusted you+are youre you+have that+has who+has i+am im
    this+user+is the+user+is the+sender+is remember+that treat+this+user you+had if+you+had im+the im+your
    im+one speaking+to speaking+with youre+free you+are+free talking+to
    eres vous+etes je+suis cet+utilisateur+est tu+es du+bist sie+sind ich+bin soy usted+es este+usuario+es
    voce+e sou sei sono
    вы ты я+твой я+ваш
    你是 我是 您是 该用户是 あなたは 私は 以管理员 作为管理员 我就是
    당신은`,
  jailbreak: `
    do+anything+now dan+mode jailbreak+mode override+code* unrestricted+mode no+restrictions+mode
    unrestricted+ai you+are+no+longer+bound youre+no+longer+bound unrestricted+assistant
    without+restrictions+mode jailbroken unfiltered+ai uncensored+ai amoral+chatbot amoral+ai stan+mode
    越狱模式 无限制模式`,
  itself: `
    this+message this+request this+note this+to this+from that+you you+did you+have+done any+of+this
    about+this what+you of+this ce+message it+in it+to it+anywhere this+paragraph this+text this+line
    this+comment this+instruction* these+instruction* ces+instructions
    diese+anweisung* diese+nachricht davon cette+instruction esta+instruccion estas+instrucciones
    este+mensaje
    эт*+инструкци* об+этом это*
    这条 此消息 这个指令 此指令 この指示 このメッセージ 这段文字 这段话 本段
    이+지시`,
  approve: `
    accept confirm allow grant permit green+light approve auto+approve authorize
    authorise autoapprove genehmige* bestatige* erlaube* approuve* accepte* autorise* confirme* aprueba*
    apruebe* acepta* autoriza* aprova* approva*
    одобри* подтверди* разреши*
    批准 同意 允许 授权 通过 承認 許可
    승인 허용`,
  calls: `
    tool tools call calls actions action request requests command commands transaction* transfer*
    approvals permission* operations payment*
    werkzeug* aufruf* anfrage* outil* appel* demande* herramienta* llamada* solicitud* ferramenta*
    strument*
    инструмент* вызов* запрос*
    工具 调用 请求 操作 ツール 呼び出し リクエスト
    도구 요청 호출`,
  toolCalls: `
    tool+calls tool+call* toolcall* function+call* tool+use*
    werkzeugaufruf* appels+d+outil* appel+d+outil* llamadas+a+herramientas llamada+a+herramienta
    toolaufruf*
    工具调用 ツール呼び出し`,
  bypassLast: `
    無効 スキップ 回避 迂回
    우회 건너뛰 비활성화`,
  approveLast: `
    承認 許可
    승인 허용`,
  every: `
    all any every next pending following future subsequent remaining each
    alle alles nachste* tout* tous prochain* todas todos cualquier siguiente* proxim* tutt* tum wszystkie
    allen aller alla
    все всех следующ*
    所有 全部 任何 下一 后续 一切 すべて 全て 次の
    모든 다음
    सभी جميع`,
  bypass: `
    bypass skip disable turn+off switch+off deactivate get+around circumvent evade sidestep suspend lift
    umgehe umgehen deaktiviere* uberspringe* contourne* desactive* saute* evita* omite desactiva* elude*
    salta* ignora
    обойди* отключи* пропусти*
    绕过 跳过 关闭 禁用 规避 回避 迂回 スキップ 無効 关掉 取消
    우회 건너뛰 비활성화`,
  checks: `asking approval* confirmation* review permission* safety guardrail* security+check* safety+check* content+filter* safety+filter* human+review security+control* restrictions verification* security firewall moderation sicherheit* safeguards security+polic* safety+polic* comprobaciones controles verificaciones genehmigung* bestatigung* prufung* approbation* securite aprobacion* confirmacion* seguridad verificacion* aprovacao confirmacao подтверждени* проверк* безопасност* 审批 批准 确认 审查 安全 验证 限制 承認 確認 審査 审批流程 승인 확인 안전 two+factor 2fa mfa`,
  fresh: `
    new real actual updated true revised latest following nouveau*
    nova* neue neuen wirklich* nouvelle* vraie* nueva* nuevo* verdader* nuov*
    новы* новая настоящ*
    新 新的 真正 实际 以下 新しい 本当の
    새로운 진짜`,
  task: `
    task goal directive order purpose job instruction* orders objective instruc*
    role anweisung* aufgabe* auftrag ziel rolle tache* objectif* mission* consigne* tarea* objetivo*
    instruccion* mision tarefa* compito istruzion*
    задач* цель инструкци* роль
    任务 目标 指令 角色 指示 タスク 目的 役割
    임무 지시 역할`,
  erase: `
    delete drop destroy purge truncate remove rm erase wipe
    losche* loesche* vernichte* supprime* efface* detrui* borra* elimina* destruye* apaga* cancella*
    удали* уничтожь* сотри*
    删除 清空 销毁 刪除 削除 消去
    삭제 reset cancel`,
  records: `
    record records file files table tables backup* database* repository repositories account accounts
    entries directory directories workspace fichier*
    datensatz* datei* daten enregistrement* donnee* registro* archivo* datos arquivo* dados
    записи файлы данные
    记录 文件 数据 備份 レコード ファイル データ 目录 工作目录
    기록 파일 데이터`,
  your: `
    your yourself youre you
    dein* ihre* votre vos ton tes tu tus su seu sua tuo tuoi
    твой твои твоя ваш*
    你的 你 您 あなた あなたの
    당신 당신의`,
  /** Words before a verb that make it a report or a refusal. */
  told: `
    to will would can could may might cannot cant not dont never they who that which attackers users model
    models agent agents llm it we wont doesnt didnt wouldnt shouldnt isnt a an the our no does+not did+not
    has+not have+not pas zu
    nicht de ne para
    не чтобы
    不要 请勿 不得 别 勿 不会 不能 让模型 使模型 让ai 诱使 试图 会 能够 可以 已`,
  /** Words that make an order of it all the same, where they stand before those: `you need to …`. */
  asked: `
    you need have want ask must please order required supposed going like instruct told instructed
    sie vous du`,
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
  insides: `context+window your+context your+configuration your+tools tool+schemas configures+your defines+your your+behaviour your+behavior your+setup 你的配置 上下文 tools+that+you tools+you+can tools+you+have how+you+were+configured how+you+are+configured 你的工具`,
  stealth: `
    silently unnoticed covertly discreetly quietly
    secretly
    悄悄 偷偷 暗中 秘密地`,
  pretence: `as+if+nothing say+that+nothing say+nothing+was hide+that pretend+nothing never+mention leaves+no+trace leave+no+trace do+not+highlight do+not+point+out to+nobody so+that+nobody nobody+notices no+one+notices conceal+that without+anyone+noticing 假装什么都没 若无其事 不要说明 不被发现 不留痕迹 以免被 不要指出`,
  money: `
    funds bank+account wallet money balance iban payment+details
    bitcoin
    余额 资金 收款 账户 账号 汇款 invoice+below bill+below 账单`,
  transfer: `transfer change+the replace+the wire withdraw 转到 转入 转账 修改 替换 pay 支付`,
  praise: `positive+review positive+reviews only+positive always+say always+recommend five+stars top+score no+matter+what rate+this rank+this+first recommend+only ten+out+of+ten favourably favorably best+candidate positive+rating highest+score any+negatives no+negatives highest+rating top+rating 5+stars 10+out+of+10 正面评价 只给好评 好评 最高分 满分 只推荐`,
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
  detour: `original+task before+you+answer before+you+go+on prior+to+solving prior+to+answering user+s+task users+task task+that+i+gave 原来的任务 原来的请求 原任务 用户的任务 在回答之前`,
  session: `
    this+session this+chat this+conversation this+answer this+reply
    本次会话 这次对话 本次对话`,
  fromUser: `from+me+your+user from+your+user from+your+owner from+your+developer* 来自用户的 来自开发者的 来自主人的 as+if+the+user as+if+your+user as+if+it+came as+though+the+user`,
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
    hide+this+from hide+it+from keep+this+secret+from keep+it+secret+from conceal+this+from
    conceal+it+from keep+this+from keep+it+from keep+this+hidden+from
    隐瞒 瞒住`,
  override: `
    override overriding`,
  authority: `
    system admin security safety policy priority root developer administrator instruction emergency`,
} as const

export type Role = keyof typeof table

/** What the words of a role are, too. */
export const also: Readonly<Partial<Record<Role, readonly Role[]>>> = {
  systemPrompt: ['orders', 'task'],
  yourSecrets: ['secrets'],
  already: ['consented'],
  toolCalls: ['calls'],
  revealStrong: ['reveal'],
  steal: ['send'],
  given: ['prior'],
  keyFiles: ['secrets'],
  henceforth: ['become'],
  tell: ['inform'],
}
