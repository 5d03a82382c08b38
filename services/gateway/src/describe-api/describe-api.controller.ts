import { Controller, Get } from '@nestjs/common'
import { openApiDocument } from './openapi.js'

/** `GET /v1/openapi.json`, open to everybody: it says nothing of anybody. */
@Controller('v1/openapi.json')
export class DescribeApiController {
  private readonly document = openApiDocument()

  @Get()
  describe(): Record<string, unknown> {
    return this.document
  }
}
