/** What the service needs to know of its surroundings. */
export interface ExperimentSettings {
  /** Root of the embedded clusters' server; null where there is none. */
  readonly embeddedUrl: string | null
  /** File with the contexts of real clusters; null means where kubectl looks. */
  readonly kubeconfig: string | null
  /** How long an application may take to become ready, where it is not the usual time. */
  readonly readyMs?: number
}
