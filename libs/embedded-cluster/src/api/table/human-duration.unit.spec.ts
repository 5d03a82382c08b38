import { humanDuration } from './human-duration.js'

const s = 1_000
const m = 60 * s
const h = 60 * m
const d = 24 * h

it.each([
  [-5 * s, '<invalid>'],
  [-0.5 * s, '0s'],
  [119 * s, '119s'],
  [2 * m, '2m'],
  [2 * m + 5 * s, '2m5s'],
  [10 * m + 5 * s, '10m'],
  [179 * m, '179m'],
  [3 * h, '3h'],
  [3 * h + 4 * m, '3h4m'],
  [9 * h + 4 * m, '9h'],
  [2 * d, '2d'],
  [2 * d + 3 * h, '2d3h'],
  [9 * d + 3 * h, '9d'],
  [729 * d, '729d'],
  [735 * d, '2y5d'],
  [8 * 365 * d, '8y'],
])('%d ms is %s, as kubectl shows it', (ms, text) => {
  expect(humanDuration(ms)).toBe(text)
})
