export { type Agent, type Prompt } from './agent.js'
export { ExpertError, runAgent } from './run-agent.js'
