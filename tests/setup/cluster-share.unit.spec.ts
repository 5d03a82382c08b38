import { longSpecs, shareOf, turnOf } from '../../scripts/cluster-share.mjs'

const files = [
  'a/evidence.cluster-long.int.spec.ts',
  'b/functional.cluster-long.int.spec.ts',
  'c/x.cluster-long.int.spec.ts',
]
const share = (turn: number, wanted?: string) => shareOf(files, wanted, { turn, why: 'its turn' }).files

describe('the share of the long specs that a run of CI takes', () => {
  it('is one file, and each file has its turn', () => {
    const taken = [7, 8, 9].map((turn) => share(turn))
    expect(taken.every(({ length }) => length === 1)).toBe(true)
    expect(taken.flat().toSorted()).toEqual(files)
  })

  it('can be asked for', () => {
    expect(share(7, 'functional')).toEqual([files[1]])
    expect(share(7, 'x,evidence')).toEqual([files[0], files[2]])
    expect(share(7, 'all')).toEqual(files)
    expect(share(7, 'none')).toEqual([])
    expect(() => share(7, 'nothing')).toThrow("no 'nothing'; there are evidence, functional, x, all, none")
  })

  it('is of all the files that there are, each by a name of its own', () => {
    const found = longSpecs()
    expect(found.length).toBeGreaterThan(1)
    for (const [turn, file] of found.entries())
      expect(shareOf(found, undefined, { turn, why: '' }).files).toEqual([file])
    for (const file of found) {
      const name = file.split('/').at(-1)?.split('.')[0]
      expect(shareOf(found, name, turnOf(0)).files).toEqual([file])
    }
  })
})
