import { testWholeMatrix } from "./kills";

testWholeMatrix("plugin");
