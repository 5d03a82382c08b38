/** What the service needs to know of its surroundings. */
export interface ExperimentSettings {
  /** Root of the embedded clusters' server. */
  readonly embeddedUrl: string
  /** File with the contexts of real clusters; null means where kubectl looks. */
  readonly kubeconfig: string | null
}
