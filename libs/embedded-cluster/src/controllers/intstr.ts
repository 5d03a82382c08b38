/** A number, or a percentage of `total` rounded as told: Kubernetes' IntOrString. */
export function scaled(value: number | string, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  const share = (Number.parseInt(value, 10) * total) / 100
  return round === 'up' ? Math.ceil(share) : Math.floor(share)
}
