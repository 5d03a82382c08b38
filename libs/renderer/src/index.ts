export {
  type RenderAnswer,
  type RenderedObject,
  type RenderFile,
  type RenderRequest,
  type Setting,
} from './protocol.js'
export { Renderer } from './renderer.js'
