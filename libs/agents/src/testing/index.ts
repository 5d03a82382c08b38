export { ADVERSARIES, type Adversary } from './adversarial.js'
export { startModelServer, type ChatRequest, type ModelServer, type Reply } from './model-server.js'
export { naive, scripted, type Script } from './scripted.js'
