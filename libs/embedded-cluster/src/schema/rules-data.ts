import type { StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { forbidden, immutable, invalidValue } from './causes.js'

const KEY = /^[-._a-zA-Z0-9]{1,253}$/
const MAX_BYTES = 1024 * 1024
const KEY_PROBLEM =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

type Values = Record<string, string>

export function configMapCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const binary = (object.binaryData ?? {}) as Values
  return [...dataCauses(object, binary), ...frozenCauses(object, old)]
}

export function secretCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  return [
    ...dataCauses(object, {}),
    ...(old ? immutable('type', object.type, old.type) : []),
    ...frozenCauses(object, old),
  ]
}

function dataCauses(object: K8sObject, binary: Values): StatusCause[] {
  const entries = Object.entries({ ...((object.data ?? {}) as Values), ...binary })
  const size = entries.reduce((sum, [, value]) => sum + value.length, 0)
  const tooLong = { reason: 'FieldValueTooLong', message: `Too long: may not be more than ${MAX_BYTES} bytes` }
  return [
    ...entries.flatMap(([key]) => (KEY.test(key) ? [] : [invalidValue(`data[${key}]`, key, KEY_PROBLEM)])),
    ...(size > MAX_BYTES ? [{ ...tooLong, field: 'data' }] : []),
  ]
}

function frozenCauses(object: K8sObject, old: StoredObject | undefined): StatusCause[] {
  if (!old?.immutable) return []
  const why = 'field is immutable when `immutable` is set'
  const changed =
    immutable('data', object.data, old.data).length + immutable('', object.binaryData, old.binaryData).length
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', why)]),
    ...(changed > 0 ? [forbidden('data', why)] : []),
  ]
}
