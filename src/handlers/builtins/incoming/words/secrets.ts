/** Words about secrets: to send them, and to keep something from a person. */
export const secrets = {
  secrets: `
    secret secrets password* credential* token tokens api+key api+keys apikey private+key* ssh+key*
    access+key* canary cookie cookies keys customer+email* user+email* customer+data user+data
    personal+data session+data emails conversation chat+history conversation+history database databases
    wallets customer+records bank+details credit+card* environment+variables env+vars chat+log
    chat+logs environment+variable* pin+code access+code* login+data session+cookie* recovery+codes
    last+message messages+of+the+user one+time+code verification+code passwd seed+phrase wallet inbox
    crypto+wallet contacts address+book otp apikeys passwort* zugangsdaten geheimnis* schlussel
    mot+de+passe mots+de+passe identifiants cles contrasena* claves credenciales senha* credenciais
    парол* ключи токен* секрет* учетн* 密码 密碼 密钥 密鑰 凭证 凭据 令牌 机密 パスワード 秘密鍵
    認証情報 トークン 聊天记录 对话记录 通讯录 环境变量 访问令牌 私钥 隐私 身份证 验证码 对话内容
    비밀번호 자격+증명 토큰 users+data user+s+data customer+list`,
  keyFiles: `
    id+rsa env+file env+files dotenv ssh+directory ssh+folder aws+credentials mcp+json etc+shadow npmrc
    bash+history aws+config authorized+keys contents+of+env the+env aws+keys ssh+keys etc+passwd
    kube+config netrc
    id+ed25519
    env+文件`,
  send: `
    send forward post upload email transmit submit export leak deliver mail copy relay append include
    embed curl attach put publish paste hand+over pipe mail+them mail+it ship schick sende senden
    schicke schicken ubermittle lade envoie* envoyez transmet* envia* envie manda* mande sube exporta*
    invia* gonder* enviame отправь* перешли* пошли* загрузи* пришли* 发送 發送 上传 上傳 转发 轉發 发到
    发给 送信 転送 アップロード 送って 粘贴 发送到 上传到 导出 传给 传到 寄给 发往 发布 输出到 보내
    전송 share`,
  steal: `
    exfiltrate exfil harvest smuggle siphon steal`,
  web: `
    http https`,
  away: `
    my+webhook* attacker* external+server* external+url external+address external+site external+host
    external+endpoint the+webhook* a+webhook* third+party to+the+following to+this+address to+this+url
    to+this+email to+this+server to+my+server to+my+email remote+server to+our+server public+gist
    a+gist public+repository public+repo paste+site commit+message your+reply your+answer your+response
    the+reply to+me+at ftp attacker in+the+url url+of+this below+this+line to+this+page in+this+thread
    collaborator pastebin externe externer externen externo externa burp* ngrok* requestbin* внешн*
    外部 攻击者 下面的网址 以下网址 下面的地址 以下地址 这个网址 该网址 到下方 到这里 在此处 외부
    a+new+issue an+issue a+comment the+comment`,
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
    administrator manager
    the+user+is this+user+is user users human person owner operator anyone customer developer admin
    anybody humans
    utilisateur* supervisor benutzer nutzer niemand* anwender personne usuario* nadie utente usuário
    пользовател* никому человек*
    管理员 主管 经理
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
} as const
