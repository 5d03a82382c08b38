import { startCycleSchema } from './contract.js'
import { parseRequest, type ProblemError, problemOf } from './problems.js'

const refusal = (body: unknown): ProblemError => {
  try {
    parseRequest(startCycleSchema, body)
  } catch (error) {
    return error as ProblemError
  }
  throw new Error('it was not refused')
}

describe('problems', () => {
  it('name each fault of a request by JSON pointer', () => {
    const problem = problemOf(refusal({ input: { files: [{ path: 'a/b.yaml' }] }, options: { seed: -1 } }), 'req-1')
    expect(problem).toMatchObject({ status: 400, type: 'https://ordeal.dev/problems/input-invalid', instance: 'req-1' })
    expect(problem.errors?.map((error) => error.pointer)).toEqual(['/input/files/0/content', '/options/seed'])
    expect(problem.remedy).toBeTruthy()
  })

  it('refuse an upload without files, and fields that nobody knows', () => {
    expect(refusal({ input: { files: [] } }).message).toContain('no file in it')
    expect(refusal({ input: { files: [{ path: 'a', content: '' }] }, inptu: 1 }).message).toContain('inptu')
  })

  it('leave a good request alone, with its defaults filled in', () => {
    const request = parseRequest(startCycleSchema, { input: { files: [{ path: 'a.yaml', content: 'kind: Pod' }] } })
    expect(request).toMatchObject({ project: 'default', options: { cluster: 'embedded', maxImprovements: 3 } })
  })
})
