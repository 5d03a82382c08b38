import { crc32, deflateRawSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'

/** An entry of an archive that a spec makes. */
export interface ArchiveEntry {
  readonly name: string
  readonly content?: string | Buffer
  readonly type?: Header['type']
  readonly linkname?: string
}

/** A tar archive, its entries as they are told, wrong ones too. */
export async function tarOf(...entries: ArchiveEntry[]): Promise<Buffer> {
  const archive = pack()
  for (const { content, ...header } of entries) archive.entry(header, content ?? '')
  archive.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A zip archive. An entry with a `linkname` is a symbolic link. */
export function zipOf(...entries: ArchiveEntry[]): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.linkname ?? entry.content ?? '')
    const [name, packed] = [Buffer.from(entry.name), deflateRawSync(content)]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((entry.linkname ? 0o120777 : 0o100644) * 65_536, 6)
    tail.writeUInt32LE(offset, 10)
    local.push(Buffer.from('PK\x03\x04'), common, name, packed)
    central.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, tail, name)
    offset += 30 + name.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06'), end])
}
