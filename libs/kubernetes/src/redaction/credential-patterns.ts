/** Names of settings that hold a credential: DB_PASSWORD, apiKey, --auth-token. */
const SECRET_NAME =
  /(^|[^a-z])(password|passwd|passphrase|pwd|pass|secret|secrets|token|credentials?|api[_.-]?keys?|access[_.-]?keys?|private[_.-]?keys?|signing[_.-]?keys?|encryption[_.-]?keys?|client[_.-]?secret|auth[_.-]?key|license[_.-]?key|authorization|salt|hmac|jwt|bearer|sas)([^a-z]|$)/i

/** Settings about a credential that are none themselves: TOKEN_TTL, PASSWORD_FILE, SECRET_NAME. */
const ABOUT_SECRET =
  /[_.-](file|path|dir|name|ttl|timeout|expiry|expiration|expires|lifetime|duration|seconds|minutes|length|size|url|uri|host|addr|port|header|enabled|required|policy|algorithm|issuer|audience|type|rotation|interval|id|ref|endpoint)$/i

/** Shapes that well-known issuers give their tokens. */
const KNOWN_TOKEN =
  /^(gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_|pk_live_|rk_live_|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|SG\.|dop_v1_|hvs\.|npm_|pypi-)/
export const isPrivateKey = (text: string): boolean => /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/.test(text)

/** A token of a length that is not guessed, without the marks of words, paths and addresses. */
const TOKEN_SHAPE = /^[A-Za-z0-9+/_=-]{20,512}$/
/** Bits per character: English words have about 3, hexadecimal digits 4, base64 up to 6. */
const TOKEN_ENTROPY = 3.5

/** `apiKey` → `api-Key`, so that words are told apart whatever the style. */
const parted = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2')

/** True for the name of a setting whose value is a credential. */
export const isSecretName = (name: string): boolean =>
  SECRET_NAME.test(parted(name)) && !ABOUT_SECRET.test(parted(name))

/** True for a value that is a credential whatever it is called. */
export function isSecretValue(value: string): boolean {
  if (KNOWN_TOKEN.test(value) || isPrivateKey(value)) return true
  const hasDigitsAndLetters = /\d/.test(value) && /[A-Za-z]/.test(value)
  return TOKEN_SHAPE.test(value) && hasDigitsAndLetters && !isWords(value) && entropy(value) >= TOKEN_ENTROPY
}

/** Names of things: words and short numbers with dashes or slashes between them. */
const isWords = (value: string): boolean =>
  value.split(/[-_/=+]/).every((part) => /^([A-Z]?[a-z]*(?:[A-Z][a-z]+)*\d{0,4}|)$/.test(part))

/** Values under a secret name that hide nothing: switches, references to variables, and nothing at all. */
export const isHarmless = (value: string): boolean =>
  /^(\s*|true|false|yes|no|on|off|none|null|optional|required|\$\([A-Za-z_]\w*\)|\$\{[A-Za-z_]\w*\}|\{\{.*)$/i.test(
    value,
  )

function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / value.length) * Math.log2(count / value.length), 0)
}

/** The password within a URL: what leads to it, then itself. */
export const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"']{0,200}:)([^\s@"']{1,500})(?=@)/gi
/** The password of a Go connection string, `user:password@tcp(host)`. */
export const DSN_PASSWORD = /((?:^|[\s"'])[\w.-]{1,100}:)([^\s@"']{1,500})(?=@(?:tcp|unix)\()/g
/** The only part of a URL in front of its host, where that is a token: what leads to it, then itself. */
export const URL_TOKEN = /([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s:/@"']{16,500})(?=@)/gi
/** A parameter of a URL: its mark, name and value. */
export const URL_PARAMETER = /([?&])([\w.-]{1,100})=([^\s"'&#]{1,2000})/g
/** What follows the scheme of an Authorization header: what leads to it, then itself. */
export const AUTHORIZATION =
  /(authorization["']?\s{0,4}[=:]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})([^\s"',;]{4,2000})/gi
/** Anything within a text that may be a token by its shape. */
export const WORD = /[A-Za-z0-9+/_=.-]{16,600}/g
/** What stands before a digest, which looks like a token and is none. */
export const BEFORE_DIGEST = /(?:sha(?:1|256|384|512)|md5)[:-]$/i
/** A private key within a text. */
export const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{1,20000}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g
/** An assignment within a text, such as a line of a configuration file or an argument: name, mark, value. */
export const ASSIGNMENT = /([A-Za-z_][\w.-]{0,100})("?\s{0,4}[=:]\s{0,4}["']?)([^\s"',;&]{1,2000})/g
