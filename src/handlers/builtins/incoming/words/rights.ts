/** Words about rights, approvals and checks, and the small words that go with orders. */
export const rights = {
  mode: `
    mode access rights persona privileges
    modus modo
    режим*
    模式 モード
    모드`,
  power: `
    debug developer admin root sudo unrestricted jailbreak* dan superuser developer+who real+user
    built+you created+you made+you jailbroken unfiltered uncensored superadmin administrator*
    system+administrator elevated engineers+who god administrateur* administrador* entwickler*
    developpeur* desarrollador* trained+you администратор* разработчик* 管理员 管理員 开发者 開發者
    越狱 超级用户 管理者 開発者 管理员的身份 超管 관리자 개발자 ceo 上帝`,
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
    你不再受任何
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
  checks: `
    asking approval* confirmation* review permission* safety guardrail* security+check* safety+check*
    content+filter* safety+filter* human+review security+control* restrictions verification* security
    firewall moderation sicherheit* safeguards security+polic* safety+polic* comprobaciones controles
    verificaciones genehmigung* bestatigung* prufung* approbation* securite aprobacion* confirmacion*
    seguridad verificacion* aprovacao confirmacao подтверждени* проверк* безопасност* 审批 批准 确认
    审查 安全 验证 限制 承認 確認 審査 审批流程 승인 확인 안전 two+factor 2fa mfa`,
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
} as const
