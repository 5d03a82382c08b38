import { type CliConfig } from './config.js'
import { type Terminal } from './terminal/terminal.js'

/** What every command is given. */
export interface Host {
  readonly terminal: Terminal
  readonly config: CliConfig
}
